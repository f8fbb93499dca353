/** What the tool does when it is started with a command: everything but the MCP server. */
import { parseArgs } from 'node:util';
import { collectionCommand } from './collections.mjs';
import { embeddingNotice, missingFolderMessage, updateMessages } from './messages.mjs';
import { searchAnswer } from './search.mjs';
import { pendingOf, readCollections, readIndex, writeIndex } from './store.mjs';
import { ageOf, dropOrphans, MissingFolder, updateCollection } from './update.mjs';

/** Real commands that svc must never call. */
const UNSUPPORTED = ['ls', 'context', 'get', 'multi-get', 'pull', 'doctor', 'skill'];

/**
 * Runs a command line.
 *
 * @param context `places` of the files, `release`, and the folder `cwd`
 * @returns status, stdout and stderr; undefined for `mcp`
 */
export function runCommand(args, context) {
  const { release } = context;
  const line = readLine(args, release);
  if (line.unknown !== undefined) return fail(`${line.unknown}\n`);
  const [command, ...rest] = line.positionals;
  if (line.values.version) return succeed(`qmd ${release.version}\n`);
  const help = `${release.help.join('\n')}\n\nIndex: ${context.places.index}\n`;
  if (line.values.help) return succeed(help);
  if (command === undefined) return { ...succeed(help), status: 1 };
  if (command === 'mcp') return undefined;
  if (UNSUPPORTED.includes(command))
    return { ...fail(`the fake does not support: ${command}\n`), status: 70 };
  const run = COMMANDS[command];
  if (run === undefined || (command === 'collection' && !release.collections)) {
    const hint = `Run 'qmd --help' for usage.\n${release.doctorHint}`;
    return fail(`Unknown command: ${command}\n${hint}`);
  }
  return run({ ...context, command, rest, values: line.values });
}

const COMMANDS = {
  collection: (context) => collectionCommand(context),
  update: (context) => update(context),
  cleanup: (context) => cleanup(context),
  status: (context) => status(context),
  embed: (context) => embed(context),
  search: (context) => search(context),
  vsearch: (context) => search(context),
  query: (context) => search(context),
};

function readLine(args, release) {
  const valueOptions = Object.fromEntries(release.values.map((name) => [name, { type: 'string' }]));
  const options = {
    ...valueOptions,
    n: { type: 'string' },
    collection: { type: 'string', short: 'c', multiple: release.manyFilters },
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean', short: 'v' },
    force: { type: 'boolean', short: 'f' },
    json: { type: 'boolean' },
    full: { type: 'boolean' },
    'line-numbers': { type: 'boolean' },
  };
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: release.strict });
  } catch (error) {
    return { unknown: error.message, positionals: [], values: {} };
  }
}

function search(context) {
  const question = context.rest.join(' ');
  if (question === '') return fail(`Usage: qmd ${context.command} [options] <query>\n`);
  return searchAnswer({ ...context, question });
}

function update({ places, release }) {
  const collections = readCollections(places);
  if (collections.length === 0) {
    return succeed("No collections found. Run 'qmd collection add .' to index markdown files.\n");
  }
  const index = readIndex(places);
  let stdout = `Updating ${collections.length} collection(s)...\n\n`;
  let stderr = '';
  for (const [position, collection] of collections.entries()) {
    const { name, path, pattern } = collection;
    stdout += `[${position + 1}/${collections.length}] ${name} (${pattern})\n`;
    stdout += `Collection: ${path} (${pattern})\n`;
    try {
      const counts = updateCollection(index, collection, release);
      const output = updateMessages(counts, release, 'update');
      stdout += `${output.stdout}\n`;
      stderr += output.stderr;
    } catch (error) {
      if (!(error instanceof MissingFolder)) throw error;
      writeIndex(places, index);
      return { status: 1, stdout, stderr: stderr + missingFolderMessage(path) };
    }
  }
  writeIndex(places, index);
  return {
    status: 0,
    stdout: `${stdout}✓ All collections updated.\n${embeddingNotice(index)}`,
    stderr,
  };
}

function status({ places }) {
  const index = readIndex(places);
  const live = index.documents.filter((one) => one.active);
  const pending = pendingOf(index);
  const collections = readCollections(places).map(
    ({ name, pattern }) =>
      `  ${name} (qmd://${name}/)\n    Pattern:  ${pattern}\n    Files:    ` +
      `${live.filter((one) => one.collection === name).length} (updated ${ageOf(index, name)})\n`,
  );
  return succeed(
    [
      'QMD Status\n',
      `Index: ${places.index}`,
      `Size:  ${JSON.stringify(index).length} B\n`,
      'Documents',
      `  Total:    ${live.length} files indexed`,
      `  Vectors:  ${index.embedded.length} embedded`,
      ...(pending > 0 ? [`  Pending:  ${pending} need embedding (run 'qmd embed')`] : []),
      '\nCollections',
      ...collections,
    ].join('\n'),
  );
}

function cleanup({ places, release }) {
  const index = readIndex(places);
  const live = index.documents.filter((one) => one.active);
  const inactive = index.documents.length - live.length;
  index.documents = live;
  const orphans = dropOrphans(index, release);
  writeIndex(places, index);
  const compacted = release.dropsInactive ? '' : 'FTS compacted, ';
  return succeed(
    [
      '✓ Cleared 0 cached API responses\n',
      'No orphaned embeddings to remove\n',
      ...(inactive > 0 ? [`✓ Removed ${inactive} inactive document records\n`] : []),
      ...(orphans > 0 ? [`✓ Removed ${orphans} orphaned content hashes\n`] : []),
      `✓ ${compacted}${compacted === '' ? 'Database' : 'database'} vacuumed\n`,
    ].join(''),
  );
}

function embed({ places, values }) {
  const index = readIndex(places);
  if (values.force) index.embedded = [];
  const pending = pendingOf(index);
  if (pending === 0) return succeed('✓ All content hashes already have embeddings.\n');
  const live = index.documents.filter((one) => one.active).map((one) => one.hash);
  index.embedded = [...new Set([...index.embedded, ...live])];
  writeIndex(places, index);
  return {
    status: 0,
    stdout: `Embedding ${pending} documents\n\n✓ Done! Embedded ${pending} chunks from ${pending} documents in 0s\n`,
    stderr: `Chunking ${pending} documents by token count...\n\u001b[?25l\u001b]9;4;3\u0007\u001b]9;4;0\u0007\u001b[?25h`,
  };
}

function succeed(stdout) {
  return { status: 0, stdout, stderr: '' };
}

function fail(stderr) {
  return { status: 1, stdout: '', stderr };
}

/** `collection list | add | remove | show`. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { embeddingNotice, missingFolderMessage, updateMessages } from './messages.mjs';
import { readCollections, readIndex, writeCollections, writeIndex } from './store.mjs';
import { ageOf, dropOrphans, isFolder, MissingFolder, updateCollection } from './update.mjs';

export function collectionCommand(context) {
  const [verb, argument] = context.rest;
  const { release, places } = context;
  if (verb === 'list') return list(places, release);
  if (verb === 'add') return add(context, argument);
  if (verb === 'remove' || verb === 'rm') return remove(places, release, argument);
  if (verb === 'show' && release.show) return show(places, argument);
  return fail(`Unknown subcommand: ${verb}\n${release.verbHint}\n${release.doctorHint}`);
}

function list(places, release) {
  const collections = readCollections(places);
  if (collections.length === 0) {
    return succeed(`No collections found. Run '${release.addCommand}' to create one.\n`);
  }
  const index = readIndex(places);
  const blocks = collections.map(({ name, pattern }) => {
    const live = index.documents.filter((one) => one.active && one.collection === name);
    const lines = [`  Pattern:  ${pattern}`, `  Files:    ${live.length}`];
    return `${name} (qmd://${name}/)\n${lines.join('\n')}\n  Updated:  ${ageOf(index, name)}\n\n`;
  });
  return succeed(`Collections (${collections.length}):\n\n${blocks.join('')}`);
}

function add({ places, release, values, cwd }, argument = cwd) {
  const path = resolve(cwd, argument);
  const pattern = patternOf(values, release);
  const name = values.name ?? path.split('/').filter(Boolean).at(-1) ?? 'root';
  const refusal = refusalOf(readCollections(places), { name, path, pattern }, release, argument);
  if (refusal !== undefined) return fail(refusal);
  writeCollections(places, [...readCollections(places), { name, path, pattern }]);
  const index = readIndex(places);
  const start = `Creating collection '${name}'...\nCollection: ${path} (${pattern})\n`;
  try {
    const counts = updateCollection(index, { name, path, pattern }, release);
    writeIndex(places, index);
    const output = updateMessages(counts, release, 'add');
    const stops = counts.files.length === 0 && release.stopsAtEmpty;
    const end = `${stops ? '' : embeddingNotice(index)}✓ Collection '${name}' created successfully\n`;
    return { status: 0, stdout: start + output.stdout + end, stderr: output.stderr };
  } catch (error) {
    if (!(error instanceof MissingFolder)) throw error;
    return { status: 1, stdout: start, stderr: missingFolderMessage(path) };
  }
}

function patternOf(values, { maskOption, acceptsGlob }) {
  const mask = values[maskOption] ?? (acceptsGlob ? values.glob : undefined);
  return typeof mask === 'string' ? mask : '**/*.md';
}

function refusalOf(collections, { name, path, pattern }, release, argument) {
  const received = `  Received: ${argument}\n  Resolved: ${path}\n`;
  if (release.missingFolder === 'is refused' && !existsSync(path)) {
    const advice = "Provide an existing directory and run 'qmd collection add <path>' again.\n";
    return `Collection path does not exist.\n${received}${advice}`;
  }
  if (release.missingFolder === 'is refused' && !isFolder(path)) {
    const advice = "Choose a directory and run 'qmd collection add <path>' again.\n";
    return `Collection path is not a directory.\n${received}${advice}`;
  }
  if (collections.some((one) => one.name === name)) {
    return `Collection '${name}' already exists.\nUse a different name with --name <name>\n`;
  }
  const same = collections.find((one) => one.path === path && one.pattern === pattern);
  if (same === undefined) return undefined;
  const existing = `  Name: ${same.name} (qmd://${same.name}/)\n  Pattern: ${pattern}\n`;
  const advice = `Use 'qmd update' to re-index it, or remove it first with 'qmd collection remove ${same.name}'\n`;
  return `A collection already exists for this path and pattern:\n${existing}\n${advice}`;
}

function remove(places, release, name) {
  if (name === undefined) {
    const hint = "  Use 'qmd collection list' to see available collections\n";
    return fail(`Usage: qmd collection remove <name>\n${hint}`);
  }
  const collections = readCollections(places);
  if (!collections.some((one) => one.name === name)) {
    const hint = "Run 'qmd collection list' to see available collections.\n";
    return fail(`Collection not found: ${name}\n${hint}`);
  }
  const { documents, cleaned } = forget(places, release, name);
  const cleanedUp = cleaned > 0 ? `  Cleaned up ${cleaned} orphaned content hashes\n` : '';
  return succeed(`✓ Removed collection '${name}'\n  Deleted ${documents} documents\n${cleanedUp}`);
}

/** Takes a collection out of the configuration and the index. */
export function forget(places, release, name) {
  writeCollections(
    places,
    readCollections(places).filter((one) => one.name !== name),
  );
  const index = readIndex(places);
  const before = index.documents.length;
  index.documents = index.documents.filter((one) => one.collection !== name);
  const documents = before - index.documents.length;
  const cleaned = dropOrphans(index, { ...release, dropsInactive: true });
  writeIndex(places, index);
  return { documents, cleaned };
}

function show(places, name) {
  const one = readCollections(places).find((collection) => collection.name === name);
  if (one === undefined) return fail(`Collection not found: ${name}\n`);
  const lines = [`  Path:     ${one.path}`, `  Pattern:  ${one.pattern}`];
  return succeed(`Collection: ${name}\n${lines.join('\n')}\n  Include:  yes (default)\n`);
}

function succeed(stdout) {
  return { status: 0, stdout, stderr: '' };
}

function fail(stderr) {
  return { status: 1, stdout: '', stderr };
}

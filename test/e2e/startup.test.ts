import {
  chmodSync,
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type LoadedModules, modulesLoadedBy } from '../support/loaded-modules.js';
import { giveToOrdinary, ORDINARY_UID, ordinaryProgram } from '../support/ordinary-user.js';
import { runInPty } from '../support/pty.js';
import { installQmd } from '../support/qmd.js';
import { ROOT, runSvc, startProgram } from '../support/run-svc.js';
import { folderOf, tempFolder } from '../support/temp-folder.js';

const test = suite('modules that a start loads');

/** Text that a built file contains exactly when it contains the library or part. */
const MARKS = {
  react: 'react.transitional.element',
  ink: 'ink-text',
  zod: '_zod',
  'jsonc-parser': 'CommaExpected',
  'the sync writer': 'CREATE TABLE IF NOT EXISTS holder',
  pino: 'unable to determine transport target',
  fastify: 'FST_ERR_INSTANCE_ALREADY_LISTENING',
  'the MCP SDK': 'io.modelcontextprotocol/',
  'the external backend': 'the external search program (',
  'the AWS SDK': 'AmazonBedrockFrontendService',
  'the ACP SDK': 'session/request_permission',
} as const;

type Part = keyof typeof MARKS;
const PARTS = Object.keys(MARKS) as Part[];

const built = readdirSync(join(ROOT, 'dist'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.m?js$/.test(name))
  .map((name) => readFileSync(join(ROOT, 'dist', name), 'utf8'));

function partsOf({ files }: LoadedModules): Part[] {
  const sources = files.map((file) => readFileSync(file, 'utf8'));
  return PARTS.filter((part) => sources.some((source) => source.includes(MARKS[part])));
}

const notes = folderOf({ 'a.md': 'alpha' });
const home = tempFolder().path;
const search = ['memory', 'search', 'alpha', '-w', notes.path];

test('every marker that the checks below use is found in the built program', () => {
  for (const part of PARTS) {
    assert.ok(
      built.some((source) => source.includes(MARKS[part])),
      part,
    );
  }
});

test('a search on a fresh index loads no screen, schema, parser or writer, and no crypto', async () => {
  await runSvc(search, { home });
  for (const args of [search, [...search, '--json']]) {
    const loaded = await modulesLoadedBy(args, { home });
    assert.is(loaded.run.code, 0);
    assert.match(loaded.run.stdout, /a\.md/);
    assert.equal(partsOf(loaded), []);
    for (const name of ['crypto', 'child_process', 'readline', 'http', 'net', 'fs/promises']) {
      assert.not(loaded.builtins.includes(name), name);
    }
    const foreign = loaded.files.filter((file) => file.includes('/node_modules/'));
    assert.ok(
      foreign.every((file) => file.includes('/better-sqlite3/')),
      foreign.join('\n'),
    );
  }
});

test('a search after a change loads the writer, but no screen or schema', async () => {
  notes.write('b.md', 'beta');
  const parts = partsOf(await modulesLoadedBy(search, { home }));
  assert.ok(parts.includes('the sync writer'));
  assert.not(parts.includes('react') || parts.includes('zod') || parts.includes('ink'));
});

test('a configuration loads its parser and schema once, and no screen', async () => {
  const root = folderOf({
    'ws/MEMORY.md': 'alpha',
    'svc.json': JSON.stringify({ agents: { defaults: { workspace: 'ws' } } }),
  });
  const options = { home: tempFolder().path, cwd: root.path };
  const ask = ['memory', 'search', 'alpha'];
  const first = partsOf(await modulesLoadedBy(ask, options));
  assert.ok(first.includes('zod') && first.includes('jsonc-parser'), first.join());
  assert.not(first.includes('react'), first.join());
  assert.equal(partsOf(await modulesLoadedBy(ask, options)), []);
  root.write('svc.json', '{ "agents": { "defaults": { "workspace": "ws" } }, } // mine');
  await runSvc(ask, options);
  assert.equal(partsOf(await modulesLoadedBy(ask, options)), ['jsonc-parser']);
});

test('an external program loads its backend, but neither a writer nor an MCP client', async () => {
  const memory = { backend: 'ext', ext: { command: installQmd().command } };
  const agents = { defaults: { workspace: 'ws' } };
  const root = folderOf({
    'ws/MEMORY.md': 'alpha',
    'svc.json': JSON.stringify({ agents, memory }),
  });
  const env = { SVC_CONFIG: root.at('svc.json') };
  const options = { home: tempFolder().path, cwd: root.path, env };
  await runSvc(['memory', 'index'], options);
  const loaded = await modulesLoadedBy(['memory', 'search', 'alpha'], options);
  assert.match(loaded.run.stdout, /MEMORY\.md/);
  const parts = partsOf(loaded);
  assert.ok(parts.includes('the external backend'), parts.join());
  for (const part of ['react', 'the sync writer', 'the MCP SDK'] as const) {
    assert.not(parts.includes(part), parts.join());
  }
});

test('with nothing to index, no screen is loaded', async () => {
  const parts = partsOf(await modulesLoadedBy(['memory', 'index', '-w', notes.path], { home }));
  assert.not(parts.includes('react') || parts.includes('ink'));
});

test('a hook before a turn loads no screen, writer or HTTP client, and no crypto', async () => {
  const entry = { enabled: true, config: { agents: ['main'] } };
  const root = folderOf({
    'ws/MEMORY.md': 'the alpha release is in May',
    'svc.json': JSON.stringify({
      agents: { defaults: { workspace: 'ws' } },
      plugins: { entries: { 'active-memory': entry } },
    }),
  });
  const input = JSON.stringify({ session_id: 's', prompt: 'alpha release' });
  const options = { home: tempFolder().path, cwd: root.path, input };
  await runSvc(['memory', 'index'], options);
  const loaded = await modulesLoadedBy(['memory', 'recall', '--hook', 'codex'], options);
  assert.match(loaded.run.stdout, /in May/);
  const parts = partsOf(loaded);
  assert.not(parts.includes('react') || parts.includes('the sync writer'), parts.join());
  for (const name of ['crypto', 'child_process', 'http']) {
    assert.not(loaded.builtins.includes(name), name);
  }
});

test('reading logs does not load the log writer, and only svc serve loads a listener', async () => {
  const homeWithLog = folderOf({ 'logs/serve.log': '' });
  const logs = partsOf(await modulesLoadedBy(['logs'], { home: homeWithLog.path }));
  const status = partsOf(await modulesLoadedBy(['memory', 'status'], { home }));
  for (const parts of [logs, status]) {
    assert.not(parts.includes('pino') || parts.includes('fastify'), parts.join());
  }
});

/** The files of compiled code in a folder. */
function cachesIn(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => /\.(?:cache|part|tmp)$/.test(name));
}

test('compiled code is cached next to the program, and ignored if missing or damaged', async () => {
  const program = tempFolder();
  for (const part of ['bin', 'dist', 'package.json', 'oclif.manifest.json']) {
    const filter = (path: string): boolean => !/\.cache(?:\.part)?$/.test(path);
    cpSync(join(ROOT, part), program.at(part), { recursive: true, filter });
  }
  symlinkSync(join(ROOT, 'node_modules'), program.at('node_modules'));
  const chunks = program.at('dist/chunks');
  const kept = () => cachesIn(chunks);
  const answer = async (): Promise<string> => {
    const run = await runSvc(search, { home, root: program.path });
    assert.equal([run.code, run.stderr], [0, '']);
    return run.stdout;
  };
  // The code that most commands share is cached until a search caches more.
  await runSvc(['--version'], { home, root: program.path });
  assert.equal(kept(), []);
  const list = ['task', 'list', '--json'];
  const tasks = await runSvc(list, { home, root: program.path });
  const part = kept().find((one) => one.endsWith('.part')) ?? '';
  for (const damaged of [readFileSync(join(chunks, part)), Buffer.alloc(9)]) {
    writeFileSync(join(chunks, part), damaged);
    assert.equal(await runSvc(list, { home, root: program.path }), tasks);
    assert.ok(readFileSync(join(chunks, part)).length > 4000, 'it is created again');
  }
  for (const one of kept()) rmSync(join(chunks, one));
  const first = await answer();
  const files = kept().map((name) => join(chunks, name));
  assert.equal(files.map((file) => basename(file).split('-')[1]).toSorted(), ['memory', 'start']);
  const wholes = files.map((file) => readFileSync(file));
  assert.is(await answer(), first);
  assert.equal(
    kept().map((name) => join(chunks, name)),
    files,
  );
  for (const [at, file] of files.entries()) {
    const whole = wholes[at] ?? Buffer.alloc(0);
    assert.ok(readFileSync(file).equals(whole), 'nothing is written once it is there');
    for (const damaged of [Buffer.alloc(0), Buffer.alloc(whole.length), whole.subarray(0, 4000)]) {
      writeFileSync(file, damaged);
      assert.is(await answer(), first);
      assert.ok(readFileSync(file).length > 4000, 'it is created again');
    }
  }
});

test('compiled code is kept for all users, and one who cannot read or write it starts without it', async () => {
  const root = ordinaryProgram();
  const chunks = join(root, 'dist/chunks');
  const kept = () => cachesIn(chunks);
  const remove = (): void => {
    for (const name of kept()) rmSync(join(chunks, name));
  };
  remove();
  const program = [process.execPath, join(root, 'bin/run.js'), 'task', 'list'];
  const strict = ['-c', 'umask 077 && exec "$@"', 'sh', ...program];
  assert.is((await startProgram('sh', strict, { home: tempFolder().path }).done).code, 0);
  assert.ok(kept().length > 0);
  for (const name of kept()) assert.is(statSync(join(chunks, name)).mode & 0o777, 0o644);
  const home = tempFolder();
  giveToOrdinary(home.path);
  const options = { home: home.path, root, uid: ORDINARY_UID };
  // As an umask of another user left them before svc set the mode.
  for (const name of kept()) chmodSync(join(chunks, name), 0);
  const unreadable = await runSvc(['task', 'list'], options);
  assert.equal([unreadable.code, unreadable.stderr], [0, '']);
  remove();
  // The archives that yarn runs programs from.
  const archive = tempFolder().write(
    'archive.cjs',
    `const fs = require('node:fs');
    for (const name of ['writeFileSync', 'rmSync']) {
      const usual = fs[name];
      fs[name] = (path, ...rest) => {
        if (String(path).includes('.cache')) throw new Error('EROFS: read-only filesystem');
        return usual(path, ...rest);
      };
    }`,
  );
  const archived = await runSvc(['task', 'list'], {
    home: tempFolder().path,
    root,
    nodeArgs: ['--require', archive],
  });
  assert.equal([archived.code, archived.stderr], [0, '']);
  assert.equal(kept(), []);
});

test('the version and lists of commands do not load oclif, and help only its bundle', async () => {
  for (const [args, isHelp] of [
    [['--version'], false],
    [['--help'], false],
    [['memory', '--help'], false],
    [['memory', 'search', '--help'], true],
    [['help', 'search'], true],
  ] as const) {
    const { run, files } = await modulesLoadedBy(args, { home });
    assert.is(run.code, 0);
    assert.is(
      files.some((file) => file.includes('/kept-help-')),
      isHelp,
    );
    assert.not(
      files.some((file) => file.includes('/node_modules/')),
      args.join(' '),
    );
  }
});

test('a program that starts from cached code still opens the index screen', async () => {
  await runSvc(search, { home });
  const session = runInPty(['memory', 'index', '-w', notes.path, '--force'], {
    home,
  });
  assert.is(await session.ended, 0, session.output());
  assert.match(session.output(), 'chunk');
});

test.run();

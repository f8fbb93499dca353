import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OPENAI_KEY, startOpenAiFake } from '../fakes/openai.js';
import { jsonOf } from '../support/json.js';
import { writeNotes } from '../support/many-notes.js';
import { runInPty } from '../support/pty.js';
import { rawDatabase } from '../support/raw-database.js';
import { type StartedSvc, type SvcRun, startSvc } from '../support/run-svc.js';
import { runInSession } from '../support/svc-session.js';
import { folderOf, tempFolder } from '../support/temp-folder.js';
import { KEYS } from '../support/terminal.js';
import { waitFor } from '../support/wait.js';

const test = suite('Ctrl-C');

const FILES = 3000;
const notes = tempFolder();
writeNotes(notes, FILES);

/** What a search for the text of the first note finds. */
async function pathsOf(home: string): Promise<readonly string[]> {
  const found = await run(home, 'search', 'note 0 amber', '--json');
  return jsonOf.search(found).results.map(({ path }) => path);
}

function start(home: string, ...args: string[]): StartedSvc {
  return startSvc(['memory', ...args, '-w', notes.path], { home });
}

/** Runs one that is not interrupted. */
function run(home: string, ...args: string[]): Promise<SvcRun> {
  return runInSession(['memory', ...args, '-w', notes.path], { home });
}

function freshHome(): string {
  const { path } = tempFolder();
  mkdirSync(`${path}/memory`);
  return path;
}

const indexed = freshHome();
await run(indexed, 'index');

/** A home in which all notes are indexed. */
function indexedHome(): string {
  const { path } = tempFolder();
  cpSync(indexed, path, { recursive: true });
  return path;
}

/** Documents that an index holds. */
async function documentsIn(home: string): Promise<number> {
  const index = jsonOf.status(await run(home, 'status', '--json')).agents[0]?.index;
  return index?.state === 'ready' ? index.statistics.documents : 0;
}

test('stops a first index, reports and keeps what is done, and the next run continues', async () => {
  const home = freshHome();
  const started = start(home, 'index', '--verbose');
  await started.waitForText('indexed ');
  started.child.kill('SIGINT');
  const { code, signal, stdout, stderr } = await started.done;
  assert.equal([code, signal], [130, null], stderr.slice(-300));
  assert.match(stderr, /stopped\n/);
  const kept = await documentsIn(home);
  assert.ok(kept > 0 && kept < FILES, `${kept}`);
  assert.ok(stdout.replaceAll(/\D/g, '').includes(String(kept)), stdout);
  const [rest] = jsonOf.index(await run(home, 'index', '--json')).agents;
  assert.ok(rest !== undefined && 'outcome' in rest);
  assert.equal([rest.outcome, rest.added, rest.unchanged], ['updated', FILES - kept, kept]);
});

test('during a search’s first index it ends with 130 and an error that says the same', async () => {
  const home = freshHome();
  const started = start(home, 'search', 'amber', '--verbose');
  await started.waitForText('indexed ');
  started.child.kill('SIGINT');
  const { code, stdout, stderr } = await started.done;
  assert.equal([code, stdout], [130, '']);
  assert.match(stderr, /error: interrupted; [\d,]+ indexed files? kept\n hint: .*again/);
  assert.ok((await documentsIn(home)) > 0);
});

test('while a search only embeds, the error counts no files', async () => {
  const fake = await startOpenAiFake();
  const home = folderOf({ 'workspace/MEMORY.md': '# Heron\n' });
  const configure = (memorySearch: object): void =>
    void home.write('svc.json', JSON.stringify({ agents: { defaults: { memorySearch } } }));
  configure({ provider: 'none' });
  await runInSession(['memory', 'index'], { home: home.path });
  fake.trouble('slow');
  configure({ provider: 'openai', remote: { baseUrl: `${fake.origin}/v1`, apiKey: OPENAI_KEY } });
  const started = startSvc(['memory', 'search', 'heron'], { home: home.path });
  await started.waitForText('embedding ');
  started.child.kill('SIGINT');
  const { code, stderr } = await started.done;
  await fake.close();
  assert.is(code, 130, stderr);
  assert.match(stderr, /error: interrupted; finished work is kept\n hint: .*again/);
});

test('while text is being forgotten it ends with 130, and the next sync removes the rest', async () => {
  const home = indexedHome();
  const [first = ''] = await pathsOf(home);
  const started = start(home, 'forget', first, '--yes', '--verbose');
  await started.waitForText('indexed ');
  started.child.kill('SIGINT');
  const { code, stdout, stderr } = await started.done;
  assert.is(code, 130, stderr);
  assert.match(stdout, /^forgotten as f1/m);
  assert.match(stderr, /error: interrupted .*\n hint: run "svc memory index .*" to finish/);
  const rest = await run(home, 'index');
  assert.equal([rest.code, rest.stderr.includes('warning')], [0, false], rest.stderr);
  assert.not.ok((await pathsOf(home)).includes(first));
});

test('during a rebuild the old index stays as it was', async () => {
  const home = indexedHome();
  const started = start(home, 'index', '--force', '--verbose');
  await started.waitForText('indexed ');
  started.child.kill('SIGINT');
  assert.is((await started.done).code, 130);
  assert.is(await documentsIn(home), FILES);
  assert.equal(
    readdirSync(`${home}/memory`).filter((name) => name.includes('.build')),
    [],
  );
});

test('during an import it ends with 130, and the error says that the rest can be imported', async () => {
  const home = indexedHome();
  const into = tempFolder();
  const file = into.at('notes.jsonl');
  await run(home, 'export', '--output', file);
  const started = start(home, 'import', file, '--into', into.at('notes'));
  await waitFor(
    'a note',
    () => existsSync(into.at('notes')) && readdirSync(into.at('notes')).length > 0,
  );
  started.child.kill('SIGINT');
  const { code, stderr } = await started.done;
  assert.is(code, 130, stderr);
  assert.match(stderr, /error: stopped\n hint: imported notes are kept; run it again/);
});

/** A server that accepts connections and never answers, and a home that uses it. */
async function silentServer(storage: object = {}) {
  const server = createServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(Object(server.address()).port));
  });
  const url = `postgres://svc@127.0.0.1:${port}/svc`;
  const home = folderOf({
    'workspace/MEMORY.md': '# Heron\n',
    'svc.json': JSON.stringify({ storage: { url, ...storage } }),
  });
  return { home: home.path, connected: once(server, 'connection'), close: () => server.close() };
}

test('ends a command that would not notice it, such as one that waits for a server', async () => {
  const silent = await silentServer();
  const started = startSvc(['storage', 'migrate'], { home: silent.home });
  await silent.connected;
  started.child.kill('SIGINT');
  const { code, signal, stderr } = await started.done;
  silent.close();
  assert.equal([code, signal, stderr], [130, null, '']);
});

for (const line of [
  'memory index',
  'storage copy --to postgres',
  'dream run',
  'task claim --wait',
]) {
  test(`svc ${line} exits with 130 also if the server never answers after it`, async () => {
    const silent = await silentServer({ connectTimeoutSeconds: 1 });
    const started = startSvc(line.split(' '), { home: silent.home });
    await silent.connected;
    started.child.kill('SIGINT');
    const { code, stderr } = await started.done;
    silent.close();
    assert.is(code, 130, stderr);
    assert.not.match(stderr, /retrying/);
  });
}

for (const line of ['task claim --wait', 'dream run', 'memory index --plain']) {
  test(`svc ${line} shows on a terminal how to stop at once if it takes long to stop`, async () => {
    const silent = await silentServer({ connectTimeoutSeconds: 60 });
    const started = runInPty(line.split(' '), { home: silent.home });
    await silent.connected;
    started.type(KEYS.ctrlC);
    await started.waitForText('press Ctrl-C again to stop at once');
    started.type(KEYS.ctrlC);
    assert.is(await started.ended, 130);
    silent.close();
  });
}

/** Two of them while the program is held up by a reader that does not read; its answer so far. */
async function interruptTwice(home: string): Promise<string> {
  const started = start(home, 'index', '--verbose');
  await started.waitForText('indexed ');
  started.child.stderr?.pause();
  started.child.kill('SIGINT');
  // The kernel may take two at the same moment for one.
  await sleep(10);
  started.child.kill('SIGINT');
  started.child.stderr?.resume();
  const { code, signal, stdout } = await started.done;
  assert.ok(code === 130 || signal === 'SIGINT', `${code} ${signal}`);
  return stdout;
}

test('a second Ctrl-C ends the program at once, and the next run is complete', async () => {
  let home = freshHome();
  // One that came too late, when the first had already ended the work, is tried again.
  for (let left = 5; left > 0 && (await interruptTwice(home)) !== ''; left--) {
    assert.ok(left > 1, 'each time it reported what was done');
    home = freshHome();
  }
  const [rest] = jsonOf.index(await run(home, 'index', '--json')).agents;
  assert.ok(rest !== undefined && 'outcome' in rest);
  assert.is(rest.added + rest.unchanged, FILES);
});

/** The CPU time of a process, in hundredths of a second. */
function cpuTimeOf(pid: number | undefined): number {
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const fields = rest.split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** A memory in which SQLite takes seconds for one statement: signs that all but match, and no end of them. */
async function slowMemory(): Promise<{ readonly home: string; readonly dir: string }> {
  const home = freshHome();
  const { path: dir } = folderOf({ 'signs.md': 'What?\n' });
  await runInSession(['memory', 'index', '-w', dir], { home });
  const [name = ''] = readdirSync(`${home}/memory`).filter((file) => file.endsWith('.sqlite'));
  const database = rawDatabase(`${home}/memory/${name}`);
  database.prepare('UPDATE chunks SET text = ?').run('?'.repeat(150e6));
  database.close();
  return { home, dir };
}

const slow = await slowMemory();

/** By then, the search is within the statement. */
const WORKING = 150;

for (const requested of ['SIGINT', 'SIGTERM'] as const) {
  test(`${requested} ends a search at once, within a statement too`, async () => {
    const { home, dir } = slow;
    const query = `${'?'.repeat(63)}!`;
    const started = startSvc(['memory', 'search', query, '-w', dir], { home });
    await waitFor('work', () => cpuTimeOf(started.child.pid) >= WORKING);
    started.child.kill(requested);
    const { code, signal, stdout, stderr } = await started.done;
    assert.equal([code, signal, stdout, stderr], [null, requested, '', '']);
  });
}

test.run();

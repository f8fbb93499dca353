import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { contentOf } from '../support/index-content.js';
import { jsonOf } from '../support/json.js';
import { NOTE_QUERIES, writeNotes } from '../support/many-notes.js';
import { backendOn, pathsOf, targetOf } from '../support/memory.js';
import { rawDatabase } from '../support/raw-database.js';
import { runSvc, type SvcRun, startSvc } from '../support/run-svc.js';
import { folderOf, tempFolder } from '../support/temp-folder.js';

const test = suite('several processes at once');

const notes = tempFolder();
writeNotes(notes, 1200);

const memory = (home: string, ...args: string[]): Promise<SvcRun> =>
  runSvc(['memory', ...args, '-w', notes.path], { home });

function errorIn(run: SvcRun): string | undefined {
  const [agent] = jsonOf.index(run).agents;
  return agent !== undefined && 'error' in agent ? agent.error.code : undefined;
}

async function indexFileOf(home: string): Promise<string> {
  const run = await memory(home, 'status', '--json');
  return jsonOf.status(run).agents[0]?.indexFile ?? '';
}

test('two concurrent index runs both succeed, and the work is done once', async () => {
  const home = tempFolder().path;
  const runs = await Promise.all([
    memory(home, 'index', '--json'),
    memory(home, 'index', '--json'),
  ]);
  const added = runs.map((run) => {
    const [agent] = jsonOf.index(run).agents;
    assert.is(run.code, 0, run.stdout);
    return agent !== undefined && 'added' in agent ? agent.added : -1;
  });
  assert.equal(
    added.sort((a, b) => a - b),
    [0, 1200],
  );
  const alone = tempFolder().path;
  await memory(alone, 'index');
  assert.equal(
    await contentOf(await indexFileOf(home), NOTE_QUERIES),
    await contentOf(await indexFileOf(alone), NOTE_QUERIES),
  );
});

test('concurrent first searches wait for one build and return the same results', async () => {
  const home = tempFolder().path;
  const runs = await Promise.all(
    Array.from({ length: 3 }, () => memory(home, 'search', 'amber cedar', '--json')),
  );
  const answers = runs.map((run) => jsonOf.search(run).results);
  assert.ok((answers[0]?.length ?? 0) > 0);
  assert.equal(answers[1], answers[0]);
  assert.equal(answers[2], answers[0]);
});

test('searches keep working during a rebuild by another process', async () => {
  const home = tempFolder().path;
  await memory(home, 'index');
  const expected = jsonOf.search(await memory(home, 'search', 'amber', '--json')).results;
  const rebuild = startSvc(['memory', 'index', '--force', '-w', notes.path], { home });
  do {
    const run = await memory(home, 'search', 'amber', '--json');
    assert.equal(jsonOf.search(run).results, expected);
  } while (rebuild.child.exitCode === null);
  assert.is((await rebuild.done).code, 0);
});

test('a rebuild while another program writes the index fails, and the next one replaces it', async () => {
  const home = tempFolder().path;
  await memory(home, 'index');
  const browser = rawDatabase(await indexFileOf(home));
  browser.exec('BEGIN IMMEDIATE');
  const locked = await memory(home, 'index', '--force', '--json');
  assert.equal([locked.code, errorIn(locked)], [1, 'INDEX_LOCKED']);
  browser.exec('COMMIT');
  browser.close();
  assert.equal(errorIn(await memory(home, 'index', '--force', '--json')), undefined);
});

test('a search during indexing by another process uses the existing index and prints a warning', async () => {
  const home = tempFolder().path;
  await memory(home, 'index');
  const holder = startSvc(['memory', 'index', '--force', '--verbose', '-w', notes.path], { home });
  await holder.waitForText('indexed ');
  holder.child.kill('SIGSTOP');
  notes.write('newest.md', 'zebra amber');
  try {
    const busy = await memory(home, 'search', 'amber', '--json');
    assert.is(busy.code, 0);
    assert.equal(
      jsonOf.search(busy).warnings?.map((warning) => warning.code),
      ['INDEX_BUSY'],
    );
    assert.ok(jsonOf.search(busy).results.length > 0);
    const text = await memory(home, 'search', 'amber');
    // On a busy machine, progress comes first.
    assert.match(text.stderr, /^warning: another process is updating the index/m);
  } finally {
    holder.child.kill('SIGCONT');
  }
  assert.is((await holder.done).code, 0);
  const after = jsonOf.search(await memory(home, 'search', 'zebra', '--json'));
  assert.equal([after.results[0]?.path, after.warnings], ['newest.md', []]);
});

test('the lock is free as soon as its holder is killed', async () => {
  const home = tempFolder().path;
  await memory(home, 'index');
  const holder = startSvc(['memory', 'index', '--force', '--verbose', '-w', notes.path], { home });
  await holder.waitForText('indexed ');
  holder.child.kill('SIGSTOP');
  notes.write('killed.md', 'walrus');
  holder.child.kill('SIGKILL');
  await holder.done;
  const after = jsonOf.search(await memory(home, 'search', 'walrus', '--json'));
  assert.equal([after.results[0]?.path, after.warnings], ['killed.md', []]);
});

test('a backend that stays open follows changes by other processes', async () => {
  const home = tempFolder().path;
  const folder = folderOf({ 'a.md': 'alpha' });
  const svc = (...args: string[]) => runSvc(['memory', ...args, '-w', folder.path], { home });
  await svc('index');
  const status = jsonOf.status(await svc('status', '--json')).agents[0];
  const backend = backendOn(targetOf(folder.path, { indexFile: status?.indexFile ?? '' }));
  const find = async (query: string) => pathsOf(await backend.search({ query }));
  assert.equal(await find('alpha'), ['a.md']);
  await svc('reset', '--yes');
  assert.equal(await find('alpha'), ['a.md']);
  folder.write('b.md', 'beta');
  await svc('index', '--force');
  assert.equal(await find('beta'), ['b.md']);
  await backend.close();
});

test.run();

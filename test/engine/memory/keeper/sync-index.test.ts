import {
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { syncWarnings } from '../../../../src/engine/memory/sync/index.js';
import { failureOf } from '../../../support/failure.js';
import { contentOf } from '../../../support/index-content.js';
import { backendOn, pathsOf, targetOf, warningCodes } from '../../../support/memory.js';
import { folderOf, tempFolder } from '../../../support/temp-folder.js';

const test = suite('sync');

/** The counts of a sync that are not zero. */
async function syncCounts(backend: ReturnType<typeof backendOn>): Promise<Record<string, number>> {
  const { added, changed, removed, renamed, unchanged } = await backend.sync({});
  const counts = { added, changed, removed, renamed, unchanged };
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}

/** Makes files old enough to be told apart from later writes by their times alone. */
function age(...files: readonly string[]): void {
  for (const file of files) utimesSync(file, 1_600_000_000, 1_600_000_000);
}

test('added, changed, removed and renamed files are told apart', async () => {
  const ws = folderOf({ 'a.md': 'alpha', 'b.md': 'beta', 'c.md': 'gamma', 'd.md': 'delta' });
  const backend = backendOn(targetOf(ws.path));
  assert.equal(await syncCounts(backend), { added: 4 });
  ws.write('a.md', 'alpha two');
  rmSync(ws.at('b.md'));
  renameSync(ws.at('c.md'), ws.at('z.md'));
  ws.write('copy.md', 'gamma');
  ws.write('new.md', 'epsilon');
  assert.equal(await syncCounts(backend), {
    added: 2,
    changed: 1,
    removed: 1,
    renamed: 1,
    unchanged: 1,
  });
  assert.equal(await syncCounts(backend), { unchanged: 5 });
});

test('a new pattern removes files at the next sync, and its removal brings them back', async () => {
  const ws = folderOf({ 'a.md': 'alpha', 'b/c.md': 'alpha beta', 'b/d.md': 'delta' });
  const backend = backendOn(targetOf(ws.path));
  assert.equal(pathsOf(await backend.search({ query: 'alpha' })), ['a.md', 'b/c.md']);
  ws.write('b/.svcignore', 'c.md\n');
  assert.equal(pathsOf(await backend.search({ query: 'alpha' })), ['a.md']);
  ws.write('b/.svcignore', 'd.md\n');
  assert.equal(pathsOf(await backend.search({ query: 'alpha' })), ['a.md', 'b/c.md']);
  rmSync(ws.at('b/.svcignore'));
  assert.equal(await syncCounts(backend), { added: 1, unchanged: 2 });
});

test('a file that is excluded counts once, also below an extra path', async () => {
  const ws = folderOf({
    'memory/a.md': 'alpha',
    'memory/b.md': 'b',
    'memory/.svcignore': 'b.md\n',
  });
  const backend = backendOn(targetOf(ws.path, { layout: 'agent', extraPaths: ['.'] }));
  assert.is((await backend.status()).excluded, 1);
});

test('a pattern that excludes everything is named, and nothing is lost', async () => {
  const ws = folderOf({ 'a.md': 'alpha', 'b/c.md': 'beta' });
  const backend = backendOn(targetOf(ws.path));
  await backend.sync({});
  ws.write('.svcignore', '# all\n*\n');
  const { removed, warnings = [] } = await backend.sync({});
  assert.is(removed, 2);
  const message =
    /^nothing is indexed, because every note is excluded: "\*" in .svcignore, line 2$/;
  assert.match(warnings[0]?.message ?? '', message);
  assert.match((await backend.status()).faults[0]?.message ?? '', message);
  assert.equal(warningCodes(await backend.search({ query: 'alpha' })), ['EXCLUDES_EVERYTHING']);
  ws.write('.svcignore', '');
  assert.equal(await syncCounts(backend), { added: 2 });
});

test('an incremental index has exactly the content of a fresh one', async () => {
  const ws = folderOf(
    Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [`n${n}.md`, `# Note ${n}\n\nword${n % 7} alpha\n`]),
    ),
  );
  const target = targetOf(ws.path);
  const backend = backendOn(target);
  await backend.sync({});
  for (let n = 0; n < 40; n += 3) ws.write(`n${n}.md`, `# Other ${n}\n\nword${n % 5} beta\n`);
  for (let n = 1; n < 40; n += 5) rmSync(ws.at(`n${n}.md`));
  renameSync(ws.at('n2.md'), ws.at('moved.md'));
  await backend.sync({});
  const fresh = targetOf(ws.path);
  await backendOn(fresh).sync({});
  const queries = ['alpha', 'beta', 'word3 note', 'other'];
  assert.equal(
    await contentOf(target.indexFile, queries),
    await contentOf(fresh.indexFile, queries),
  );
});

test('a touched file with the same content is read and not written again', async () => {
  const ws = folderOf({ 'a.md': 'alpha' });
  const backend = backendOn(targetOf(ws.path));
  await backend.sync({});
  utimesSync(ws.at('a.md'), 1_600_000_000, 1_600_000_000);
  const summary = await backend.sync({});
  assert.is(summary.outcome, 'unchanged');
  assert.is(summary.chunks, 0);
});

test('a file whose time was set to the future is up to date after a sync', async () => {
  const ws = folderOf({ 'a.md': 'alpha' });
  const later = Math.floor(Date.now() / 1000) + 86_400.5;
  utimesSync(ws.at('a.md'), later, later);
  // A change within the resolution of the clock could go unnoticed.
  await sleep(50);
  const backend = backendOn(targetOf(ws.path));
  await backend.sync({});
  assert.equal((await backend.status()).staleness?.examples, []);
  ws.write('a.md', 'omega');
  assert.equal(pathsOf(await backend.search({ query: 'omega' })), ['a.md']);
});

test('a rewrite of the same size at the same moment is seen', async () => {
  const ws = tempFolder();
  const backend = backendOn(targetOf(ws.path));
  for (let round = 0; round < 60; round++) {
    const [word, other] = [`aaa${100 + round}`, `bbb${100 + round}`];
    ws.write('a.md', word);
    assert.equal(pathsOf(await backend.search({ query: word })), ['a.md'], word);
    writeFileSync(ws.at('a.md'), other);
    assert.equal(pathsOf(await backend.search({ query: other })), ['a.md'], other);
    assert.equal(pathsOf(await backend.search({ query: word })), [], word);
  }
  backend.close();
});

test('a rewrite that keeps size and modification time is seen', async () => {
  const ws = folderOf({ 'a.md': 'alpha' });
  age(ws.at('a.md'));
  const backend = backendOn(targetOf(ws.path));
  assert.equal(pathsOf(await backend.search({ query: 'alpha' })), ['a.md']);
  writeFileSync(ws.at('a.md'), 'gamma');
  age(ws.at('a.md'));
  assert.equal(pathsOf(await backend.search({ query: 'gamma' })), ['a.md']);
  backend.close();
});

test('a file that is swapped for a folder, and back, is followed', async () => {
  const ws = folderOf({ 'a.md': 'alpha' });
  const backend = backendOn(targetOf(ws.path));
  assert.equal(pathsOf(await backend.search({ query: 'alpha' })), ['a.md']);
  rmSync(ws.at('a.md'));
  ws.write('a.md/inner.md', 'alpha inside');
  assert.equal(pathsOf(await backend.search({ query: 'alpha' })), ['a.md/inner.md']);
  rmSync(ws.at('a.md'), { recursive: true });
  ws.write('a.md', 'alpha again');
  assert.equal(pathsOf(await backend.search({ query: 'alpha' })), ['a.md']);
  backend.close();
});

test('a file that vanishes between scan and read is skipped without a warning', async () => {
  const ws = folderOf({ 'a.md': 'alpha', 'b.md': 'beta', 'c.md': 'gamma' });
  const backend = backendOn(targetOf(ws.path));
  const summary = await backend.sync({
    onEvent: (event) => {
      if (event.type === 'scan.finished') rmSync(ws.at('b.md'));
    },
  });
  assert.equal(summary.skipped, [{ path: 'b.md', reason: 'vanished' }]);
  assert.equal(syncWarnings(summary), []);
  assert.is(summary.added, 2);
});

test('a file that grows, shrinks or becomes a link meanwhile is picked up by the next sync', async () => {
  const ws = folderOf({ 'a.md': 'alpha', 'b.md': 'beta beta', 'c.md': 'gamma' });
  const target = targetOf(ws.path);
  const backend = backendOn(target);
  await backend.sync({
    onEvent: (event) => {
      if (event.type !== 'scan.finished') return;
      ws.write('a.md', `${readFileSync(ws.at('a.md'), 'utf8')} and more`);
      truncateSync(ws.at('b.md'), 4);
      rmSync(ws.at('c.md'));
      symlinkSync('a.md', ws.at('c.md'));
    },
  });
  await backend.sync({});
  const fresh = targetOf(ws.path);
  await backendOn(fresh).sync({});
  assert.equal(
    await contentOf(target.indexFile, ['alpha']),
    await contentOf(fresh.indexFile, ['alpha']),
  );
});

test('an unchanged folder is answered without taking the lock', async () => {
  const ws = folderOf({ 'a.md': 'alpha' });
  age(ws.at('a.md'));
  const target = targetOf(ws.path);
  const backend = backendOn(target);
  await backend.sync({});
  const lock = statSync(`${target.indexFile}.lock`).mtimeMs;
  const { warnings } = await backend.search({ query: 'alpha' });
  assert.equal(warnings, []);
  assert.is(statSync(`${target.indexFile}.lock`).mtimeMs, lock);
  backend.close();
});

test('a missing workspace, or one that is a file, is explained', async () => {
  const ws = folderOf({ 'file.md': 'alpha' });
  const missing = await failureOf(backendOn(targetOf(ws.at('none'))).search({ query: 'x' }));
  assert.is(missing.code, 'WORKSPACE_MISSING');
  assert.match(missing.hint ?? '', /--workspace/);
  const spaced = await failureOf(backendOn(targetOf(ws.at('my notes'))).search({ query: 'x' }));
  assert.match(spaced.hint ?? '', `(mkdir -p '${ws.at('my notes')}')`);
  const file = await failureOf(backendOn(targetOf(ws.at('file.md'))).sync({}));
  assert.is(file.code, 'WORKSPACE_UNREADABLE');
});

test('an index survives a temporarily missing workspace', async () => {
  const ws = folderOf({ 'ws/a.md': 'alpha' });
  const target = targetOf(ws.at('ws'));
  const backend = backendOn(target);
  await backend.sync({});
  renameSync(ws.at('ws'), ws.at('away'));
  assert.is((await failureOf(backend.sync({}))).code, 'WORKSPACE_MISSING');
  renameSync(ws.at('away'), ws.at('ws'));
  assert.equal(await syncCounts(backend), { unchanged: 1 });
});

test('an empty folder gives an empty index and empty answers', async () => {
  const { path } = tempFolder();
  const backend = backendOn(targetOf(path));
  const { results, warnings } = await backend.search({ query: 'anything' });
  assert.equal(
    [results, warnings.map(({ code, hint }) => [code, hint])],
    [[], [['INDEX_EMPTY', `put Markdown files into ${path}`]]],
  );
  assert.is((await backend.sync({ force: true })).added, 0);
});

test('settings that change rebuild the index, and only then', async () => {
  const ws = folderOf({ 'a.md': `# Long\n\n${'many words here. '.repeat(200)}\n` });
  const first = targetOf(ws.path);
  await backendOn(first).sync({});
  const { indexFile } = first;
  const smaller = await backendOn(targetOf(ws.path, { indexFile, tokens: 100 })).sync({});
  assert.is(smaller.rebuild?.reason, 'settings');
  assert.match(smaller.rebuild?.detail ?? '', /^chunking\.tokens: 400 → 100$/);
  const again = await backendOn(targetOf(ws.path, { indexFile, tokens: 100 })).sync({});
  assert.is(again.outcome, 'unchanged');
  const other = targetOf(ws.path, { indexFile, tokens: 100, tokenizer: 'trigram' });
  const backend = backendOn(other);
  assert.equal(pathsOf(await backend.search({ query: 'word', maxResults: 1 })), ['a.md']);
  backend.close();
  const direct = targetOf(ws.path, { tokens: 100, tokenizer: 'trigram' });
  await backendOn(direct).sync({});
  assert.equal(await contentOf(indexFile, ['word']), await contentOf(direct.indexFile, ['word']));
});

test('force rebuilds an up-to-date index', async () => {
  const backend = backendOn(targetOf(folderOf({ 'a.md': 'alpha' }).path));
  await backend.sync({});
  const summary = await backend.sync({ force: true });
  assert.is(summary.rebuild?.reason, 'forced');
  assert.is(summary.added, 1);
});

test('a first index stopped between two transactions keeps what is done and continues', async () => {
  const ws = tempFolder();
  for (let n = 0; n < 600; n++) ws.write(`n${n}.md`, `note ${n}`);
  const target = targetOf(ws.path);
  const backend = backendOn(target);
  const stop = new AbortController();
  const stopped = await backend.sync({
    signal: stop.signal,
    onEvent: (event) => event.type === 'batch.committed' && stop.abort(),
  });
  assert.is(stopped.outcome, 'stopped');
  assert.is(stopped.added, 256);
  const rest = await backend.sync({});
  assert.equal([rest.added, rest.unchanged], [344, 256]);
  assert.is((await contentOf(target.indexFile)).documents.length, 600);
});

test('a stopped rebuild leaves the old index unchanged', async () => {
  const ws = tempFolder();
  for (let n = 0; n < 300; n++) ws.write(`n${n}.md`, `note ${n}`);
  const target = targetOf(ws.path);
  const backend = backendOn(target);
  await backend.sync({});
  const before = await contentOf(target.indexFile, ['note']);
  const stop = new AbortController();
  const stopped = await backend.sync({
    force: true,
    signal: stop.signal,
    onEvent: (event) => event.type === 'batch.committed' && stop.abort(),
  });
  assert.equal([stopped.outcome, stopped.added], ['stopped', 0]);
  assert.equal(await contentOf(target.indexFile, ['note']), before);
});

test('a removed document leaves nothing in the full-text table', async () => {
  const ws = folderOf({ 'a.md': 'zebra alpha', 'b.md': 'alpha' });
  const backend = backendOn(targetOf(ws.path));
  await backend.sync({});
  rmSync(ws.at('a.md'));
  const { results, matches } = await backend.search({ query: 'zebra' });
  assert.equal([results, matches], [[], 0]);
  backend.close();
});

test.run();

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { asSvcError } from '../../../../../src/engine/errors/index.js';
import { emptyForgetList } from '../../../../../src/engine/memory/forgotten/index.js';
import { asIndexError } from '../../../../../src/engine/memory/index/index.js';
import { openIndex } from '../../../../../src/engine/memory/index/sqlite/sqlite-index.js';
import type { KeptIndex } from '../../../../../src/engine/memory/keeper/sync-index.js';
import type { SyncEvent } from '../../../../../src/engine/memory/sync/index.js';
import { acquireIndexLock } from '../../../../../src/engine/memory/sync/index-lock.js';
import { createDatabase, openDatabase } from '../../../../../src/engine/sqlite/database.js';
import { failureOf } from '../../../../support/failure.js';
import { contentOf } from '../../../../support/index-content.js';
import { backendOn, pathsOf, targetOf, warningCodes } from '../../../../support/memory.js';
import { folderOf } from '../../../../support/temp-folder.js';

const test = suite('the life of an index');

const notes = folderOf(
  Object.fromEntries(
    Array.from({ length: 30 }, (_, n) => [
      `n${n}.md`,
      `# Note ${n}\n\n${'alpha beta '.repeat(40)}w${n}\n`,
    ]),
  ),
);
for (let n = 0; n < 30; n++) utimesSync(notes.at(`n${n}.md`), 1_600_000_000, 1_600_000_000);

/** A target with a finished index, and that index's bytes. */
async function indexed(): Promise<{ target: KeptIndex; bytes: Buffer }> {
  const target = targetOf(notes.path);
  await backendOn(target).sync({});
  return { target, bytes: readFileSync(target.indexFile) };
}

const QUERIES = ['alpha', 'w7'];
/** What an index of the notes holds and answers. */
const CONTENT = await contentOf((await indexed()).target.indexFile, QUERIES);

/** What a search and a sync do with any file at the index's path. */
async function survives(target: KeptIndex, put: () => void, what: string): Promise<void> {
  for (const work of ['search', 'sync', 'force'] as const) {
    for (const suffix of ['', '-wal', '-shm']) {
      rmSync(target.indexFile + suffix, { recursive: true, force: true });
    }
    put();
    const backend = backendOn(target);
    const status = await backend.status();
    assert.is(status.index.state, 'unusable', what);
    if (work === 'search') {
      const response = await backend.search({ query: 'w7' });
      assert.equal(pathsOf(response), ['n7.md'], what);
      assert.equal(warningCodes(response), ['INDEX_REBUILT'], what);
      assert.match(response.warnings[0]?.message ?? '', /was rebuilt: /);
    } else {
      const summary = await backend.sync({ force: work === 'force' });
      assert.is(summary.rebuild?.reason, 'damaged', what);
    }
    backend.close();
    assert.equal(await contentOf(target.indexFile, QUERIES), CONTENT, what);
    assert.equal(strayFiles(target), []);
  }
}

function strayFiles(target: KeptIndex): string[] {
  return readdirSync(dirname(target.indexFile)).filter((name) => name.includes('.build'));
}

test('a file that may be something else is set aside, not deleted', async () => {
  const { target } = await indexed();
  const { indexFile } = target;
  const texts = { '.replaced': 'my diary\n'.repeat(50), '.replaced.2': 'x', '.replaced.3': 'y' };
  for (const text of Object.values(texts)) {
    writeFileSync(indexFile, text);
    const { index } = await backendOn(target).status();
    assert.match(
      index.state === 'unusable' ? index.why : '',
      'it is kept with the suffix .replaced',
    );
    await backendOn(target).sync({});
  }
  for (const [suffix, text] of Object.entries(texts)) {
    assert.is(readFileSync(indexFile + suffix, 'utf8'), text);
  }
  for (const suffix of ['', '-wal', '-shm', '.replaced']) {
    rmSync(indexFile + suffix, { force: true });
  }
  const other = createDatabase(indexFile, 0);
  other.exec('CREATE TABLE mine (a); INSERT INTO mine VALUES (1)');
  other.close();
  const before = readFileSync(indexFile);
  await backendOn(target).sync({});
  assert.equal(readFileSync(`${indexFile}.replaced`), before);
});

test('an empty file, which a power failure can leave, is rebuilt and not set aside', async () => {
  const { target } = await indexed();
  const { indexFile } = target;
  writeFileSync(indexFile, '');
  const { index } = await backendOn(target).status();
  assert.is(index.state === 'unusable' ? index.why : '', 'it is empty');
  await backendOn(target).sync({});
  assert.equal(await contentOf(indexFile, QUERIES), CONTENT);
  assert.not.ok(existsSync(`${indexFile}.replaced`));
});

test('a damaged index is deleted and rebuilt from the files', async () => {
  const { target, bytes } = await indexed();
  writeFileSync(target.indexFile, Buffer.concat([bytes.subarray(0, 4096), randomBytes(8192)]));
  await backendOn(target).sync({});
  assert.not(existsSync(`${target.indexFile}.replaced`));
});

test('a foreign file at the index path is explained and replaced', async () => {
  const { target } = await indexed();
  const { indexFile } = target;
  const put: Record<string, () => void> = {
    'zero bytes': () => writeFileSync(indexFile, ''),
    'random bytes': () => writeFileSync(indexFile, randomBytes(100_000)),
    text: () => writeFileSync(indexFile, 'not a database at all\n'.repeat(100)),
    'another program’s database': () => {
      const database = createDatabase(indexFile, 0);
      database.exec('CREATE TABLE meta (a); INSERT INTO meta VALUES (1)');
      database.close();
    },
    'a half-written header': () => writeFileSync(indexFile, 'SQLite format 3\0'),
  };
  for (const [what, make] of Object.entries(put)) await survives(target, make, what);
});

test('an index of an older version is explained and rebuilt', async () => {
  const { target, bytes } = await indexed();
  for (const version of [0, 1]) {
    const put = (): void => {
      writeFileSync(target.indexFile, bytes);
      const database = openDatabase(target.indexFile, { readonly: false, busyTimeoutMs: 0 });
      database.pragma(`user_version = ${version}`);
      database.close();
    };
    put();
    const opened = openIndex(target.indexFile, 'read');
    assert.match(opened.state === 'unusable' ? opened.why : '', /written by an older svc/);
    await survives(target, put, `version ${version}`);
  }
});

test('an index of a newer version is refused and unchanged, until a rebuild is forced', async () => {
  for (const newer of [
    'PRAGMA user_version = 99',
    "UPDATE meta SET value = 99 WHERE key = 'chunkerVersion'",
  ]) {
    const { target } = await indexed();
    // Opened before the upgrade, like the MCP server of an agent.
    const early = backendOn(target);
    await early.search({ query: 'w7' });
    const put = (): void => {
      const database = openDatabase(target.indexFile, { readonly: false, busyTimeoutMs: 0 });
      database.exec(newer);
      database.close();
    };
    put();
    for (const backend of [early, backendOn(target)]) {
      for (const work of [() => backend.search({ query: 'w7' }), () => backend.sync({})]) {
        const { code, message } = await failureOf(work);
        assert.is(code, 'INDEX_NEWER', newer);
        assert.match(message, /it was written by a newer svc \(format 99, supported: \d+\)/u);
      }
      const { index, staleness } = await backend.status();
      assert.is(index.state, 'newer');
      assert.is(staleness, undefined);
    }
    const { rebuild } = await early.sync({ force: true });
    assert.is(rebuild?.reason, 'forced');
    assert.equal(pathsOf(await early.search({ query: 'w7' })), ['n7.md']);
    put();
    assert.is((await early.reset()).deleted, true);
    assert.equal(pathsOf(await early.search({ query: 'w7' })), ['n7.md']);
    early.close();
  }
});

test('an index cut off anywhere is explained and rebuilt', async () => {
  const { target, bytes } = await indexed();
  const cuts = [1, 50, 99, 100, 1000, 4095, 4096, 4097, 8192, 20_000];
  cuts.push(bytes.length - 4096);
  for (const cut of cuts) {
    const put = (): void => {
      writeFileSync(target.indexFile, bytes);
      truncateSync(target.indexFile, cut);
    };
    await survives(target, put, `cut at ${cut}`);
  }
});

test('an index damaged anywhere never shows a stack trace and fixes itself', async () => {
  const { target, bytes } = await indexed();
  for (let page = 0; page < bytes.length / 4096; page++) {
    for (const suffix of ['', '-wal', '-shm']) rmSync(target.indexFile + suffix, { force: true });
    const damaged = Buffer.from(bytes);
    damaged.fill(0xa5, page * 4096 + (page === 0 ? 100 : 0), page * 4096 + 2000);
    writeFileSync(target.indexFile, damaged);
    const backend = backendOn(target);
    await backend.status();
    const reasons: string[] = [];
    const onEvent = (event: SyncEvent): void => {
      if (event.type === 'rebuild.started') reasons.push(event.reason);
    };
    const request = { query: 'alpha w7', maxResults: 40 };
    const { results, warnings } = await backend.search(request, { onEvent });
    assert.equal(
      reasons,
      reasons.map(() => 'damaged'),
      `page ${page}`,
    );
    if (warnings.length > 0) {
      assert.is(warnings[0]?.code, 'INDEX_REBUILT');
      assert.is(results[0]?.path, 'n7.md');
      assert.equal(await contentOf(target.indexFile, QUERIES), CONTENT);
    }
    backend.close();
    // Damage that a sync comes upon first, with something to write; and under a forced rebuild.
    writeFileSync(target.indexFile, damaged);
    notes.write('n7.md', `${readFileSync(notes.at('n7.md'), 'utf8')} `);
    await backend.sync({});
    notes.write('n7.md', readFileSync(notes.at('n7.md'), 'utf8').trimEnd().concat('\n'));
    await backend.sync({});
    // And that it comes upon as the forget list is another one.
    writeFileSync(target.indexFile, damaged);
    writeFileSync(target.forget.listFile, JSON.stringify(emptyForgetList()));
    utimesSync(target.forget.listFile, page + 1, page + 1);
    await backend.sync({});
    writeFileSync(target.indexFile, damaged);
    await backend.sync({ force: true });
    assert.equal(await contentOf(target.indexFile, QUERIES), CONTENT, `page ${page}`);
  }
});

test('the status of a damaged index lists each problem once', async () => {
  const workspace = folderOf({ 'a.md': 'alpha' });
  const target = targetOf(workspace.path);
  await backendOn(target).sync({});
  const bytes = readFileSync(target.indexFile);
  rmSync(workspace.path, { recursive: true });
  for (let page = 1; page < bytes.length / 4096; page++) {
    const damaged = Buffer.from(bytes).fill(0xa5, page * 4096, (page + 1) * 4096);
    writeFileSync(target.indexFile, damaged);
    const { faults } = await backendOn(target).status();
    assert.equal(warningCodes({ warnings: faults }), ['INDEX_STALE'], `page ${page}`);
  }
});

test('a folder or special file at the index path is never deleted', async () => {
  const { target } = await indexed();
  const { indexFile } = target;
  const put: Record<string, () => void> = {
    'an empty folder': () => mkdirSync(indexFile),
    'a folder with a file': () => {
      mkdirSync(indexFile);
      writeFileSync(`${indexFile}/thesis.md`, 'years of work');
    },
    'a pipe': () => execFileSync('mkfifo', [indexFile]),
  };
  for (const [what, make] of Object.entries(put)) {
    rmSync(indexFile, { recursive: true });
    make();
    const { ino } = lstatSync(indexFile);
    const backend = backendOn(target);
    for (const work of [
      () => backend.search({ query: 'alpha' }),
      () => backend.sync({}),
      () => backend.sync({ force: true }),
      () => backend.reset(),
    ]) {
      const error = await failureOf(work());
      assert.is(error.code, 'INDEX_UNWRITABLE', what);
      assert.match(error.hint ?? '', 'memorySearch.store.path');
    }
    assert.is(lstatSync(indexFile).ino, ino, what);
    if (what === 'a folder with a file') assert.ok(existsSync(`${indexFile}/thesis.md`));
    assert.equal(strayFiles(target), []);
  }
});

test('leftover side files of another index do no harm', async () => {
  const { target } = await indexed();
  const wanted = await contentOf(target.indexFile, ['w7']);
  rmSync(target.indexFile);
  writeFileSync(`${target.indexFile}-wal`, randomBytes(50_000));
  writeFileSync(`${target.indexFile}-shm`, randomBytes(32_768));
  writeFileSync(`${target.indexFile}.build`, randomBytes(1000));
  writeFileSync(`${target.indexFile}.build-journal`, randomBytes(1000));
  await backendOn(target).sync({});
  assert.equal(await contentOf(target.indexFile, ['w7']), wanted);
  assert.equal(strayFiles(target), []);
});

test('a reader in the middle of a transaction keeps its content through a rebuild', async () => {
  const ws = folderOf({ 'a.md': 'alpha' });
  const target = targetOf(ws.path);
  await backendOn(target).sync({});
  const reader = openDatabase(target.indexFile, { readonly: true, busyTimeoutMs: 0 });
  const texts = reader.prepare<[], string>('SELECT text FROM chunks ORDER BY text').pluck();
  reader.exec('BEGIN');
  assert.equal(texts.all(), ['alpha']);
  ws.write('b.md', 'beta');
  const summary = await backendOn(target).sync({ force: true });
  assert.is(summary.added, 2);
  assert.equal(texts.all(), ['alpha']);
  reader.exec('COMMIT');
  assert.equal(texts.all(), ['alpha', 'beta']);
  reader.close();
});

test('a long-lived backend follows resets and rebuilds by others', async () => {
  const ws = folderOf({ 'a.md': 'alpha' });
  const target = targetOf(ws.path);
  const [lasting, other] = [backendOn(target), backendOn(target)];
  assert.equal(pathsOf(await lasting.search({ query: 'alpha' })), ['a.md']);
  await other.reset();
  assert.equal(pathsOf(await lasting.search({ query: 'alpha' })), ['a.md']);
  await other.reset();
  ws.write('b.md', 'alpha beta');
  await other.sync({});
  assert.equal(pathsOf(await lasting.search({ query: 'beta' })), ['b.md']);
  await other.sync({ force: true });
  assert.equal(pathsOf(await lasting.search({ query: 'beta' })), ['b.md']);
  const small = targetOf(ws.path, { indexFile: target.indexFile, tokenizer: 'trigram' });
  await backendOn(small).sync({});
  assert.equal(pathsOf(await lasting.search({ query: 'beta' })), ['b.md']);
  for (let round = 0; round < 20; round++) {
    await (round % 2 === 0 ? other.reset() : other.sync({}));
    assert.equal(pathsOf(await lasting.search({ query: 'beta' })), ['b.md']);
  }
  lasting.close();
});

test('while another process writes, a search uses the existing index and says so', async () => {
  const ws = folderOf({ 'a.md': 'alpha' });
  const target = targetOf(ws.path);
  const backend = backendOn(target);
  await backend.sync({});
  const lock = await acquireIndexLock(target.indexFile, {
    nowMs: Date.now(),
    waitMs: 0,
  });
  ws.write('b.md', 'alpha');
  const busy = await backend.search({ query: 'alpha' });
  assert.equal([pathsOf(busy), warningCodes(busy)], [['a.md'], ['INDEX_BUSY']]);
  lock?.release();
  const free = await backend.search({ query: 'alpha' });
  assert.equal([pathsOf(free), warningCodes(free)], [['a.md', 'b.md'], []]);
  backend.close();
});

test("a search waits for another process's small sync and finds its changes", async () => {
  const ws = folderOf({ 'a.md': 'alpha' });
  const target = targetOf(ws.path);
  const backend = backendOn(target);
  await backend.sync({});
  const mine = { nowMs: Date.now(), waitMs: 0 };
  const lock = await acquireIndexLock(target.indexFile, mine);
  ws.write('b.md', 'alpha');
  const found = await backend.search(
    { query: 'alpha' },
    {
      onEvent: ({ type }) => {
        if (type === 'lock.waiting') lock?.release();
      },
    },
  );
  assert.equal([pathsOf(found), warningCodes(found)], [['a.md', 'b.md'], []]);
  backend.close();
});

test('a process waiting for the lock learns its holder and can stop waiting', async () => {
  const { target } = await indexed();
  const lock = await acquireIndexLock(target.indexFile, { nowMs: 5, waitMs: 0 });
  const stop = new AbortController();
  const work = backendOn(target).sync({
    signal: stop.signal,
    onEvent: (event) => {
      if (event.type !== 'lock.waiting') return;
      assert.equal(event.holder, { pid: process.pid, sinceMs: 5 });
      stop.abort();
    },
  });
  assert.is((await failureOf(work)).code, 'INTERRUPTED');
  lock?.release();
  assert.is((await backendOn(target).sync({})).outcome, 'unchanged');
});

test('the holder of the lock is reported even without any waiting', async () => {
  const { target } = await indexed();
  const lock = await acquireIndexLock(target.indexFile, { nowMs: 5, waitMs: 0 });
  const holders: unknown[] = [];
  const options = { nowMs: 6, onWait: (holder: unknown) => holders.push(holder) };
  const second = await acquireIndexLock(target.indexFile, { ...options, waitMs: Number.MIN_VALUE });
  assert.is(second, undefined);
  assert.equal(holders, [{ pid: process.pid, sinceMs: 5 }]);
  lock?.release();
});

test('a damaged lock file does not lock forever', async () => {
  const { target } = await indexed();
  writeFileSync(`${target.indexFile}.lock`, randomBytes(8192));
  assert.is((await backendOn(target).sync({ force: true })).outcome, 'updated');
  writeFileSync(`${target.indexFile}.lock`, 'text'.repeat(500));
  assert.is((await backendOn(target).reset()).deleted, true);
});

test('two processes take turns at the lock', async () => {
  const { target } = await indexed();
  const runs = Array.from({ length: 6 }, () => backendOn(target).sync({ force: true }));
  for (const { outcome } of await Promise.all(runs)) assert.is(outcome, 'updated');
  assert.equal(strayFiles(target), []);
});

test('an index reached through a link is replaced behind the link or in its place', async () => {
  const { target } = await indexed();
  const link = `${target.indexFile}.link`;
  symlinkSync(target.indexFile, link);
  const backend = backendOn(targetOf(notes.path, { indexFile: link }));
  assert.equal(pathsOf(await backend.search({ query: 'w7' })), ['n7.md']);
  await backend.sync({ force: true });
  assert.equal(pathsOf(await backend.search({ query: 'w7' })), ['n7.md']);
  backend.close();
});

test('a reset deletes the index and its side files, says how much, and may be repeated', async () => {
  const { target } = await indexed();
  const backend = backendOn(target);
  const first = await backend.reset();
  assert.ok(first.deleted && first.bytes > 10_000);
  assert.equal(
    readdirSync(dirname(target.indexFile)).filter((name) => !name.endsWith('.lock')),
    [],
  );
  assert.equal(await backend.reset(), { deleted: false, bytes: 0 });
  assert.ok(existsSync(notes.at('n0.md')));
});

test('an index where no folder can be created is an error that names it', async () => {
  if (process.platform !== 'linux') return;
  const { target } = await indexed();
  const indexFile = '/proc/svc/main.sqlite';
  for (const work of [{ force: true }, {}]) {
    const error = await failureOf(backendOn({ ...target, indexFile }).sync(work));
    assert.is(error.code, 'INDEX_UNWRITABLE');
    assert.match(error.message, indexFile);
  }
});

test('an index that a faulty disk cannot store is an error that names the disk', () => {
  const fault = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_WRITE' });
  const error = asSvcError(asIndexError(fault, '/home/ada/main.sqlite'));
  assert.is(error?.code, 'INDEX_UNWRITABLE');
  assert.match(error?.hint ?? '', /^check the disk and the permissions of its folder/u);
});

test('a reset deletes no file that is not an index', async () => {
  const { target, bytes } = await indexed();
  const { indexFile } = target;
  for (const content of [Buffer.from('my diary\n'), Buffer.concat([Buffer.alloc(16), bytes])]) {
    writeFileSync(indexFile, content);
    const error = await failureOf(backendOn(target).reset());
    assert.is(error.code, 'INDEX_UNWRITABLE');
    assert.match(error.hint ?? '', 'memorySearch.store.path');
    assert.equal(readFileSync(indexFile), content);
  }
  writeFileSync(indexFile, '');
  assert.equal(await backendOn(target).reset(), { deleted: true, bytes: 0 });
});

test('with sync.onSearch off a search answers from the index as it is', async () => {
  const ws = folderOf({ 'a.md': 'alpha' });
  const backend = backendOn(targetOf(ws.path), { syncOnSearch: false });
  assert.equal(pathsOf(await backend.search({ query: 'alpha' })), ['a.md']);
  ws.write('b.md', 'alpha');
  assert.equal(pathsOf(await backend.search({ query: 'alpha' })), ['a.md']);
  await backend.sync({});
  assert.equal(pathsOf(await backend.search({ query: 'alpha' })), ['a.md', 'b.md']);
  backend.close();
});

test.run();

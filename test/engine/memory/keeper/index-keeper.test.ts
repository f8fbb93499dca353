import { rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { MemoryIndex } from '../../../../src/engine/memory/index/index.js';
import { IndexKeeper } from '../../../../src/engine/memory/keeper/index-keeper.js';
import type { SyncEvent } from '../../../../src/engine/memory/sync/index.js';
import { inRolledBackTransaction, openDatabase } from '../../../../src/engine/sqlite/database.js';
import { failureOf } from '../../../support/failure.js';
import { backendOn, pathsOf, targetOf, warningCodes } from '../../../support/memory.js';
import { folderOf, type TempFolder } from '../../../support/temp-folder.js';

const test = suite('searching and syncing one index in one process');

function notes(): TempFolder {
  return folderOf({ 'MEMORY.md': 'The backup runs at noon.', 'memory/a.md': 'A zebra sleeps.' });
}

test('syncs that share their connections go one after the other', async () => {
  const folder = notes();
  const backend = backendOn(targetOf(folder.path));
  try {
    const summaries = await Promise.all([
      backend.sync({}),
      backend.sync({ force: true }),
      backend.sync({}),
    ]);
    assert.equal(
      summaries.map(({ outcome }) => outcome),
      ['updated', 'updated', 'unchanged'],
    );
  } finally {
    await backend.close();
  }
});

test('a search silently waits for a first index that is being built', async () => {
  const folder = notes();
  const backend = backendOn(targetOf(folder.path));
  try {
    const syncing = backend.sync({});
    const found = await backend.search({ query: 'zebra' });
    assert.equal([pathsOf(found), warningCodes(found)], [['memory/a.md'], []]);
    await syncing;
  } finally {
    await backend.close();
  }
});

test('a running query finishes on the index it started with', async () => {
  const target = targetOf(notes().path);
  const keeper = new IndexKeeper({
    target,
    syncOnSearch: true,
    clock: { now: Date.now },
    providers: undefined,
    cacheEntries: 0,
  });
  try {
    await keeper.sync({});
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const slow = keeper.answer({}, async (index) => {
      begin();
      await rebuilt;
      return (await index.documents()).length;
    });
    const rebuilt = begun.then(async () => {
      for (const end of ['', '-wal', '-shm']) rmSync(target.indexFile + end, { force: true });
      await keeper.answer({}, (index) => index.documents());
    });
    assert.is(await slow, 2);
  } finally {
    keeper.close();
  }
});

test('answers that come together share a check of the files and a sync, and a later one sees what changed since', async () => {
  const folder = notes();
  const target = targetOf(folder.path);
  let checks = 0;
  const followsForgetList = (index: MemoryIndex): boolean => {
    checks += 1;
    return target.home.followsForgetList(index);
  };
  const keeper = new IndexKeeper({
    target: { ...target, home: { ...target.home, followsForgetList } },
    syncOnSearch: true,
    clock: { now: Date.now },
    providers: undefined,
    cacheEntries: 0,
  });
  let syncs = 0;
  const onEvent = ({ type }: SyncEvent): void => {
    if (type === 'sync.finished') syncs += 1;
  };
  const countFiles = () =>
    keeper.answer({ onEvent }, async (index) => (await index.documents()).length);
  const countManyTimes = () => Promise.all(Array.from({ length: 20 }, countFiles));
  try {
    await keeper.sync({});
    checks = 0;
    assert.equal([await countManyTimes(), checks], [Array(20).fill(2), 1]);
    folder.write('memory/b.md', 'A lynx hides.');
    assert.equal([await countManyTimes(), syncs], [Array(20).fill(3), 1]);
    folder.write('memory/c.md', 'An owl calls.');
    assert.is(await countFiles(), 4);
  } finally {
    keeper.close();
  }
});

test('the indexed files are listed by path', async () => {
  const folder = notes();
  const backend = backendOn(targetOf(folder.path));
  try {
    const listed = await backend.list();
    assert.equal(
      listed.map(({ path, source, kind, size }) => [path, source, kind, size]),
      [
        ['MEMORY.md', 'memory', 'markdown', 24],
        ['memory/a.md', 'memory', 'markdown', 15],
      ],
    );
  } finally {
    await backend.close();
  }
});

test('agents of the same name with different workspaces are never answered from the notes of the other', async () => {
  const mine = targetOf(notes().path);
  const { indexFile } = mine;
  const theirs = targetOf(folderOf({ 'memory/b.md': 'A zebra lies.' }).path, { indexFile });
  const options = { clock: { now: Date.now }, providers: undefined, cacheEntries: 0 };
  const keeper = new IndexKeeper({ ...options, target: mine, syncOnSearch: false });
  const other = new IndexKeeper({ ...options, target: theirs, syncOnSearch: true });
  const pathsIn = async (index: MemoryIndex): Promise<readonly string[]> =>
    (await index.documents()).map(({ path }) => path).toSorted();
  try {
    await keeper.sync({});
    await other.sync({});
    let asked = 0;
    const paths = await keeper.answer({}, async (index) => {
      asked += 1;
      if (asked === 1) await other.sync({});
      return pathsIn(index);
    });
    assert.equal([paths, asked], [['MEMORY.md', 'memory/a.md'], 2]);
    const always = keeper.answer({}, async () => other.sync({}));
    assert.is((await failureOf(always)).code, 'INDEX_LOCKED');
  } finally {
    keeper.close();
    other.close();
  }
});

test('a search does not wait long for a lock of another program on the index', async () => {
  const folder = notes();
  const target = targetOf(folder.path);
  const backend = backendOn(target);
  await backend.sync({});
  folder.write('memory/b.md', 'A zebra hides.');
  const other = openDatabase(target.indexFile, { readonly: false, busyTimeoutMs: 0 });
  const startedMs = Date.now();
  try {
    await inRolledBackTransaction(other, async () => {
      const found = await backend.search({ query: 'zebra' });
      assert.equal([pathsOf(found), warningCodes(found)], [['memory/a.md'], ['INDEX_BUSY']]);
    });
    // While it waits, no time limit of a recall ends it.
    assert.ok(Date.now() - startedMs < 20_000);
    assert.is(pathsOf(await backend.search({ query: 'zebra' })).length, 2);
  } finally {
    other.close();
    await backend.close();
  }
});

test.run();

import { rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { IndexKeeper } from '../../../../src/engine/memory/keeper/index-keeper.js';
import { backendOn, pathsOf, targetOf, warningCodes } from '../../../support/memory.js';
import { folderOf, type TempFolder } from '../../../support/temp-folder.js';

const test = suite('one index, asked and synced at the same time by one process');

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

test('a search waits for a first index that is being made, and says nothing of it', async () => {
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

test('an answer under way reads on in the index that it began with', async () => {
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
    const slow = keeper.answer({}, [], async (index) => {
      begin();
      await rebuilt;
      return (await index.documents()).length;
    });
    const rebuilt = begun.then(async () => {
      for (const end of ['', '-wal', '-shm']) rmSync(target.indexFile + end, { force: true });
      await keeper.answer({}, [], (index) => index.documents());
    });
    assert.is(await slow, 2);
  } finally {
    keeper.close();
  }
});

test('lists what it covers, by path', async () => {
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

test.run();

import { rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { messageOf } from '../../../src/engine/errors/index.js';
import {
  acquireProcessLock,
  isProcessLockHeld,
  tryProcessLock,
  withProcessLock,
} from '../../../src/engine/sqlite/process-lock.js';
import { openFiles } from '../../support/processes.js';
import { rawDatabase } from '../../support/raw-database.js';
import { tempFolder } from '../../support/temp-folder.js';

const test = suite('process lock');

const { signal } = new AbortController();

test('reports whether it is held, even for a recreated file', async () => {
  const file = tempFolder().at('a.lock');
  assert.not(isProcessLockHeld(file));
  for (let round = 0; round < 2; round++) {
    await withProcessLock(file, { signal }, async () => {
      assert.ok(isProcessLockHeld(file));
    });
    assert.not(isProcessLockHeld(file));
    rmSync(file);
    assert.not(isProcessLockHeld(file));
  }
});

test('work that does not wait for it is left out while another process has it', async () => {
  const file = tempFolder().at('a.lock');
  let runs = 0;
  const work = (): void => {
    runs += 1;
  };
  await withProcessLock(file, { signal }, async () => tryProcessLock(file, work));
  assert.is(runs, 0);
  tryProcessLock(file, work);
  assert.is(runs, 1);
});

test('only who waits for it is told so, once', async () => {
  const file = tempFolder().at('a.lock');
  const waitsWithin = async (waitMs: number): Promise<number> => {
    let waits = 0;
    const onWait = (): void => {
      waits += 1;
    };
    assert.is(await acquireProcessLock(file, { waitMs, onWait }), undefined);
    return waits;
  };
  await withProcessLock(file, { signal }, async () => {
    assert.equal([await waitsWithin(0), await waitsWithin(30)], [0, 1]);
  });
});

test('is available at once while others check or try it', async () => {
  const file = tempFolder().at('a.lock');
  await withProcessLock(file, { signal }, async () => undefined);
  // The moment in which another process checks it, made long.
  const other = rawDatabase(file);
  other.exec('BEGIN');
  other.exec('SELECT * FROM sqlite_schema');
  const lock = await acquireProcessLock(file, { waitMs: 0 });
  other.close();
  assert.ok(lock);
  assert.ok(isProcessLockHeld(file));
  assert.is(await acquireProcessLock(file, { waitMs: 0 }), undefined);
  lock.release();
  assert.not(isProcessLockHeld(file));
});

test('names the file when it cannot be used', async () => {
  const folder = tempFolder();
  folder.write('a.lock/x', '');
  const file = folder.at('a.lock');
  try {
    await withProcessLock(file, { signal }, async () => undefined);
    assert.unreachable();
  } catch (error) {
    assert.is(messageOf(error), `${file}: it is a folder`);
    assert.throws(() => isProcessLockHeld(file), new RegExp(`${file}: it is a folder`, 'u'));
  }
});

if (process.platform === 'linux') {
  test('checking leaves neither a lock nor an open file', async () => {
    const file = tempFolder().at('a.lock');
    await withProcessLock(file, { signal }, async () => undefined);
    assert.is(openFiles(file), 0);
    for (let look = 0; look < 20; look++) assert.not(isProcessLockHeld(file));
    assert.is(openFiles(file), 0);
    await withProcessLock(file, { signal, onWait: () => assert.unreachable() }, async () => {
      assert.ok(isProcessLockHeld(file));
    });
  });
}

test.run();

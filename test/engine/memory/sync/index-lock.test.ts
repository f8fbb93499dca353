import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { acquireIndexLock, lockFile } from '../../../../src/engine/memory/sync/index-lock.js';
import { createDatabase } from '../../../../src/engine/sqlite/database.js';
import { tempFolder } from '../../../support/temp-folder.js';

const test = suite('the lock of an index');

test('is waited for, even while another process is acquiring it', async () => {
  const indexFile = tempFolder().at('main.sqlite');
  const options = { nowMs: 0, waitMs: 20_000 };
  const first = await acquireIndexLock(indexFile, options);
  first?.release();
  // As a commit holds it, and as whoever takes up what a killed process left: nobody may even read.
  const other = createDatabase(lockFile(indexFile), 0);
  other.exec('BEGIN EXCLUSIVE');
  let waits = 0;
  const onWait = (): void => {
    waits += 1;
    other.close();
  };
  const lock = await acquireIndexLock(indexFile, { ...options, onWait });
  assert.is(waits, 1);
  assert.ok(lock !== undefined);
  lock.release();
});

test.run();

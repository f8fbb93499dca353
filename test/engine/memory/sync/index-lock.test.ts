import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  acquireIndexLock,
  type LockedPart,
  lockFile,
  withIndexLock,
} from '../../../../src/engine/memory/sync/index-lock.js';
import { createDatabase } from '../../../../src/engine/sqlite/database.js';
import { failureOf } from '../../../support/failure.js';
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

test('an error names the process that has it, and what for', async () => {
  const indexFile = tempFolder().at('main.sqlite');
  const others = { content: 'writing', vectors: 'embedding the passages of' } as const;
  for (const [part, does] of Object.entries(others)) {
    const options = { part: part as LockedPart, nowMs: 0, waitMs: 1 };
    const other = await acquireIndexLock(indexFile, options);
    const refused = await failureOf(withIndexLock(indexFile, options, () => undefined));
    const message = `another process (pid ${process.pid}) is ${does} ${indexFile}`;
    assert.equal([refused.code, refused.message], ['INDEX_LOCKED', message]);
    other?.release();
  }
});

test.run();

import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dreamWorkspace } from '../../../src/engine/dreaming/dream-workspace.js';
import {
  openDreamDatabase,
  readDreams,
  withLockedDreams,
} from '../../../src/engine/dreaming/store/dream-database.js';
import { newSweep, sweepRecords } from '../../../src/engine/dreaming/store/sweep-records.js';
import { SvcError } from '../../../src/engine/errors/index.js';
import { queryValue } from '../../../src/engine/sqlite/query.js';
import { NEVER } from '../../../src/engine/support/async.js';
import { failureOf } from '../../support/failure.js';
import { tempFolder } from '../../support/temp-folder.js';

test('programs that cannot read records of the archive refuse the database', () => {
  const database = openDreamDatabase(tempFolder().at('dreams.sqlite'));
  // They know version 1.
  assert.ok(Number(database.pragma('user_version', { simple: true })) > 1);
  database.close();
});

test('a database of a newer program is refused and left alone', () => {
  const file = tempFolder().at('dreams.sqlite');
  const newer = openDreamDatabase(file);
  newer.pragma('user_version = 99');
  newer.close();
  assert.throws(() => openDreamDatabase(file), /a newer svc wrote .*format 99/);
});

test('the last sweep and the last change are found behind what was done by hand', () => {
  const database = openDreamDatabase(tempFolder().at('dreams.sqlite'));
  const sweeps = sweepRecords(database);
  assert.equal([sweeps.last(), sweeps.lastApplied()], [undefined, undefined]);
  const frame = { kind: 'frame', inserted: '# Memory\n' } as const;
  const triggers = ['manual', 'schedule', 'promote', 'promote', 'backfill'] as const;
  for (const [startedMs, trigger] of triggers.entries()) {
    const sweep = newSweep(sweeps, { day: '1970-01-01', startedMs: startedMs * 1000, trigger });
    const operations = startedMs < 3 ? [frame] : [];
    sweeps.put({ ...sweep, memoryState: 'applied', operations });
  }
  assert.is(sweeps.last()?.trigger, 'schedule');
  assert.is(sweeps.lastApplied()?.startedMs, 2000);
  database.close();
});

test('sweeps are listed in the order in which they ran, whatever the clock said', () => {
  const file = tempFolder().at('dreams.sqlite');
  const before = openDreamDatabase(file);
  const ran = (sweeps: ReturnType<typeof sweepRecords>, startedMs: number): void => {
    sweeps.put(newSweep(sweeps, { day: '1970-01-01', startedMs, trigger: 'manual' }));
  };
  const old = sweepRecords(before);
  for (const startedMs of [2000, 9000, 1000]) ran(old, startedMs);
  // As programs left it that had no numbers.
  before.exec(
    'DROP INDEX sweeps_by_number; ALTER TABLE sweeps DROP COLUMN number; CREATE INDEX sweeps_by_start ON sweeps (started_ms)',
  );
  before.pragma('user_version = 3');
  before.close();
  const database = openDreamDatabase(file);
  const sweeps = sweepRecords(database);
  const started = () => sweeps.list(9).map(({ startedMs }) => startedMs);
  assert.equal(started(), [9000, 2000, 1000]);
  ran(sweeps, 5000);
  assert.equal(started(), [5000, 9000, 2000, 1000]);
  const [last, first] = [sweeps.last(), sweeps.list(9).at(-1)];
  assert.is(last?.startedMs, 5000);
  // Recording one again does not make it the last.
  if (first !== undefined) sweeps.put({ ...first, endedMs: 1500 });
  assert.equal(started(), [5000, 9000, 2000, 1000]);
  database.close();
});

test('a damaged page is reported with the file, when it is read', async () => {
  const folder = tempFolder();
  const { files } = dreamWorkspace(folder.path, { stateDir: folder.path });
  mkdirSync(dirname(files.database), { recursive: true });
  const database = openDreamDatabase(files.database);
  const sweeps = sweepRecords(database);
  sweeps.put(newSweep(sweeps, { day: '1970-01-01', startedMs: 0, trigger: 'manual' }));
  const root = queryValue<number>(
    database,
    "SELECT rootpage FROM sqlite_schema WHERE name = 'sweeps'",
  );
  const pageBytes = Number(database.pragma('page_size', { simple: true }));
  database.close();
  const file = openSync(files.database, 'r+');
  writeSync(file, Buffer.alloc(pageBytes, 0xff), 0, pageBytes, (Number(root) - 1) * pageBytes);
  closeSync(file);
  const failure = await failureOf(() => readDreams({ files }, (dreams) => dreams.sweeps.last()));
  assert.is(failure.code, 'DREAM_STORE_UNUSABLE');
  assert.match(failure.message, files.database);
  assert.match(failure.hint ?? '', /^move it away/);
});

test('work that the disk fails names the database', async () => {
  const folder = tempFolder();
  const { files } = dreamWorkspace(folder.path, { stateDir: folder.path });
  const failing = (error: Error) =>
    withLockedDreams({ files }, { signal: NEVER }, () => {
      throw error;
    });
  const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  const failure = await failureOf(failing(full));
  assert.is(failure.code, 'DREAM_STORE_UNUSABLE');
  assert.is(failure.message, `cannot use ${files.database}: the disk is full`);
  // Nobody should move it away for that.
  assert.is(failure.hint, 'free some space and try again');
  const ofNote = new SvcError('NOTE_BUSY', 'busy');
  assert.is(await failureOf(failing(ofNote)), ofNote);
});

test.run();

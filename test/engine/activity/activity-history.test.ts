import { execFile } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type ActivityHistory,
  readActivityHistory,
  recordActivity,
} from '../../../src/engine/activity/index.js';
import { MS_PER_HOUR } from '../../../src/engine/support/time.js';
import { codePoint } from '../../support/code-point.js';
import { tempFolder } from '../../support/temp-folder.js';

const test = suite('the history of activity');

const NOW = 1_795_000_000_000;
const HOUR = Math.floor(NOW / MS_PER_HOUR);

function newFolder(): string {
  return join(tempFolder().path, 'activity');
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function totals(history: ActivityHistory): readonly number[] {
  return [history.searches, history.chunks, history.requests].map(total);
}

test('counts are added up by kind, in buckets of five minutes', () => {
  const folder = newFolder();
  recordActivity(folder, { searches: 1 }, NOW - 10 * 60_000);
  recordActivity(folder, { searches: 1, chunks: 120 }, NOW);
  recordActivity(folder, { searches: 1, requests: 7 }, NOW);
  const { searches, chunks, requests } = readActivityHistory(folder, NOW);
  assert.equal(searches.length, 288);
  assert.equal(searches.slice(-3), [1, 0, 2]);
  assert.equal(chunks.at(-1), 120);
  assert.equal(requests.at(-1), 7);
});

test('nothing is written if nothing was done', () => {
  const folder = newFolder();
  recordActivity(folder, { chunks: 0 }, NOW);
  assert.equal(totals(readActivityHistory(folder, NOW)), [0, 0, 0]);
  assert.throws(() => statSync(folder));
});

test('records older than a day are neither counted nor kept', () => {
  const folder = newFolder();
  recordActivity(folder, { searches: 5 }, NOW - 26 * MS_PER_HOUR);
  recordActivity(folder, { searches: 3 }, NOW - 23 * MS_PER_HOUR);
  recordActivity(folder, { searches: 1 }, NOW);
  assert.equal(totals(readActivityHistory(folder, NOW)), [4, 0, 0]);
  assert.equal(readdirSync(folder).length, 2);
});

test('only the user can read the files', () => {
  const folder = newFolder();
  recordActivity(folder, { searches: 1 }, NOW);
  assert.is(statSync(folder).mode & 0o777, 0o700);
  assert.is(statSync(join(folder, String(HOUR))).mode & 0o777, 0o600);
});

test('a file of an hour is bounded', () => {
  const folder = newFolder();
  mkdirSync(folder);
  writeFileSync(join(folder, String(HOUR)), '\n0s00000001'.repeat(30_000));
  const before = statSync(join(folder, String(HOUR))).size;
  recordActivity(folder, { searches: 1 }, NOW);
  assert.is(statSync(join(folder, String(HOUR))).size, before);
});

test('a failure other than a missing permission is reported', () => {
  const folder = newFolder();
  // A file in the place of the folder, as a failure that root has too.
  writeFileSync(folder, '');
  assert.throws(() => recordActivity(folder, { searches: 1 }, NOW), /ENOTDIR/u);
});

test('a foreign file is ignored and affects no record', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.string({ unit: codePoint }))), (contents) => {
      const folder = newFolder();
      recordActivity(folder, { searches: 2 }, NOW);
      for (const content of contents) appendFileSync(join(folder, String(HOUR)), `\n!${content}`);
      recordActivity(folder, { searches: 3 }, NOW);
      const { searches } = readActivityHistory(folder, NOW);
      // A foreign line may look like a record, but not be less than nothing.
      assert.ok(total(searches) >= 5);
    }),
    { numRuns: 30 },
  );
});

test('a truncated record is ignored and affects no other', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 1, max: 1e6 }), (cut, count) => {
      const folder = newFolder();
      const file = join(folder, String(HOUR));
      recordActivity(folder, { chunks: 4 }, NOW);
      appendFileSync(file, `\n3c${count.toString(16).padStart(8, '0')}`.slice(0, cut));
      recordActivity(folder, { chunks: 5 }, NOW);
      assert.is(total(readActivityHistory(folder, NOW).chunks), 9);
    }),
  );
});

test('processes that record at the same time lose nothing', async () => {
  const folder = newFolder();
  const program = `
    import { recordActivity } from '${new URL('../../../src/engine/activity/index.ts', import.meta.url).href}';
    for (let at = 0; at < 500; at++) {
      recordActivity(${JSON.stringify(folder)}, { searches: 1, requests: 2 }, ${NOW} + (at % 3) * ${MS_PER_HOUR});
    }`;
  const run = promisify(execFile);
  const child = ['--import', 'tsx', '--input-type=module', '-e', program];
  await Promise.all([1, 2, 3].map(() => run(process.execPath, child)));
  const history = readActivityHistory(folder, NOW + 2 * MS_PER_HOUR);
  assert.equal(totals(history), [1500, 0, 3000]);
});

test.run();

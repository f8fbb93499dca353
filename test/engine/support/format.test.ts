import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  formatBytes,
  formatCount,
  formatCountOf,
  formatDuration,
  formatEta,
  formatModel,
  formatRate,
  formatRelativeTime,
  formatShortCount,
  formatShortCountOf,
  formatTimeUntil,
} from '../../../src/engine/support/format.js';

test('separates thousands with commas', () => {
  assert.is(formatCount(1283), '1,283');
  const cases: readonly (readonly [number, string])[] = [
    [0, '0'],
    [999, '999'],
    [13115, '13,115'],
    [1234567, '1,234,567'],
    [-1234, '-1,234'],
    [-0.4, '0'],
  ];
  for (const [count, text] of cases) assert.is(formatCount(count), text);
});

test('short counts change unit when the rounded number does', () => {
  const cases: readonly (readonly [number, string])[] = [
    [999, '999'],
    [1000, '1.0k'],
    [9949, '9.9k'],
    [9950, '10k'],
    [999_499, '999k'],
    [999_500, '1.0M'],
    [12_340_000, '12.3M'],
  ];
  for (const [count, text] of cases) assert.is(formatShortCount(count), text);
});

test('says one file and two files', () => {
  assert.is(formatCountOf(1, 'file'), '1 file');
  assert.is(formatCountOf(0, 'file'), '0 files');
  assert.is(formatCountOf(2, 'match', 'matches'), '2 matches');
  assert.is(formatShortCountOf(1, 'token'), '1 token');
  assert.is(formatShortCountOf(212_400, 'token'), '212k tokens');
});

test('sizes change unit when the rounded number does', () => {
  const cases: readonly (readonly [number, string])[] = [
    [-5, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [999_949, '999.9 kB'],
    [999_950, '1.0 MB'],
    [16_100_000, '16.1 MB'],
    [2.5e15, '2,500 TB'],
  ];
  for (const [bytes, text] of cases) assert.is(formatBytes(bytes), text);
});

test('durations grow from milliseconds to hours', () => {
  const cases: readonly (readonly [number, string])[] = [
    [-1, '0 ms'],
    [3.6, '4 ms'],
    [640, '0.6 s'],
    [59_940, '59.9 s'],
    [59_990, '1 min 00 s'],
    [185_000, '3 min 05 s'],
    [3_720_000, '1 h 02 min'],
    [48 * 3_600_000 - 60_000, '47 h 59 min'],
    [48 * 3_600_000 - 1, '2 days 00 h'],
    [961 * 3_600_000, '40 days 01 h'],
    [25_000 * 3_600_000, '1,041 days 16 h'],
  ];
  for (const [ms, text] of cases) assert.is(formatDuration(ms), text);
});

test('the time left reads like a clock and is never early', () => {
  assert.is(formatEta(40_200), '0:41');
  assert.is(formatEta(3_723_000), '1:02:03');
  assert.is(formatEta(-5), '0:00');
});

test('rates have a decimal only where it matters', () => {
  assert.is(formatRate(8214.4, 'chunks'), '8,214 chunks/s');
  assert.is(formatRate(1.25, 'files'), '1.3 files/s');
  assert.is(formatRate(1 / 60, 'req'), '1.0 req/min');
  assert.is(formatRate(-1, 'files'), '0 files/s');
});

test('times are given in the largest unit that fits; the near future is now', () => {
  const now = 1_000_000_000;
  const cases: readonly (readonly [number, string])[] = [
    [-172_900_000, 'in 2 days'],
    [-86_400_000, 'in 1 day'],
    [-60_000, 'just now'],
    [9_000, 'just now'],
    [10_000, '10 s ago'],
    [59_000, '59 s ago'],
    [60_000, '1 min ago'],
    [200_000, '3 min ago'],
    [3_600_000, '1 h ago'],
    [86_399_999, '23 h ago'],
    [86_400_000, '1 day ago'],
    [172_800_000, '2 days ago'],
  ];
  for (const [ago, text] of cases) assert.is(formatRelativeTime(now - ago, now), text);
});

test('the time until a moment is given in the largest unit that fits', () => {
  const cases: readonly (readonly [number, string])[] = [
    [-1, 'now'],
    [500, 'in 1 s'],
    [119_000, 'in 119 s'],
    [119_500, 'in 2 min'],
    [59.6 * 60_000, 'in 1 h'],
    [5 * 3_600_000, 'in 5 h'],
    [72 * 3_600_000, 'in 3 days'],
    [1461 * 86_400_000, 'in 1,461 days'],
  ];
  for (const [ms, text] of cases) assert.is(formatTimeUntil(ms, 0), text);
});

test('a model that is given by its path is shown by the name of its file', () => {
  assert.is(formatModel('cohere', 'rerank-v3.5'), 'cohere/rerank-v3.5');
  assert.is(formatModel('chat', 'openai/gpt-5-mini'), 'chat/openai/gpt-5-mini');
  assert.is(formatModel('local', '/srv/models/bge.gguf'), 'local/bge.gguf');
  assert.is(formatModel('local', '~/models/bge.gguf'), 'local/bge.gguf');
  assert.is(formatModel('openai', null), 'openai');
});

test.run();

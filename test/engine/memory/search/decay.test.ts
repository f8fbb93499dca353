import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ageInDays, decayFactor } from '../../../../src/engine/memory/search/fuse.js';

const test = suite('decay by age');

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 2, 11);

const memory = (path: string, modifiedMs: number | undefined = NOW - 90 * DAY) =>
  ageInDays({ source: 'memory', path, modifiedMs }, NOW);

test('a dated note is as old as its name says', () => {
  assert.is(memory('memory/2026-03-01.md'), 10);
  assert.is(memory('memory/work/2026-03-01-standup.md'), 10);
});

test('MEMORY.md and undated notes never age', () => {
  assert.is(memory('MEMORY.md'), undefined);
  assert.is(memory('memory/servers.md'), undefined);
  assert.is(memory('memory/2026/servers.md'), undefined);
});

test('files outside the memory folder and transcripts are as old as their last change', () => {
  assert.is(memory('../handbook/intro.md'), 90);
  const transcript = {
    source: 'sessions',
    path: 'sessions/main/a.jsonl',
    modifiedMs: NOW - DAY,
  } as const;
  assert.is(ageInDays(transcript, NOW), 1);
});

test('a note from tomorrow is new', () => {
  assert.is(memory('memory/2026-04-01.md'), 0);
});

test('an invalid date counts as undated', () => {
  assert.is(memory('memory/2026-02-31.md'), undefined);
  assert.is(memory('memory/2026-02-31x.md'), undefined);
  assert.is(memory('memory/notes-2026.md'), undefined);
});

test('a score halves with each half-life, down to a quarter', () => {
  assert.equal(
    [0, 30, 60, 90, 4000].map((age) => decayFactor(age, 30)),
    [1, 0.5, 0.25, 0.25, 0.25],
  );
  assert.is(decayFactor(undefined, 30), 1);
});

test.run();

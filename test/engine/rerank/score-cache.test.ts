import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openScoreCache } from '../../../src/engine/rerank/score-cache.js';
import { tempFolder } from '../../support/temp-folder.js';

const test = suite('the cache of scores');

const keyOf = (number: number): Buffer => {
  const key = Buffer.alloc(16);
  key.writeUInt32LE(number);
  return key;
};

test('it is bounded: the oldest scores go first', () => {
  const cache = openScoreCache(tempFolder().at('rerank.sqlite'));
  for (let from = 0; from < 60_000; from += 10_000) {
    cache.storeScores(
      Array.from({ length: 10_000 }, (_, at) => ({ key: keyOf(from + at), score: 0.5 })),
    );
  }
  assert.equal(cache.scoresOf([0, 9_999, 10_000, 59_999].map(keyOf)), [
    undefined,
    undefined,
    0.5,
    0.5,
  ]);
  cache.close();
});

test('days older than a month are forgotten', () => {
  const cache = openScoreCache(tempFolder().at('rerank.sqlite'));
  for (const day of ['2026-01-01', '2026-02-20', '2026-03-01']) {
    cache.countSearch(day, 'voyage', undefined);
    cache.addCost(day, 'voyage', { tokens: 10 });
  }
  assert.is(cache.usedOn('2026-01-01', 'voyage').searches, 0);
  assert.equal(cache.usedOn('2026-02-20', 'voyage'), { searches: 1, tokens: 10, searchUnits: 0 });
  cache.close();
});

test.run();

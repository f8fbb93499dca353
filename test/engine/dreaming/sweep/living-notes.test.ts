import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { liveThrough } from './live-through.js';
import { type Half, livingNotes } from './living-notes.js';

/** `npm run months` goes through more of them. */
const LIVES: readonly (readonly [Half, number])[] = [
  ['tuned', 1],
  ['held', 2],
];

for (const [half, seed] of LIVES) {
  test(`over two months facts are kept once, as they are now (${half} sentences)`, async () => {
    const life = await liveThrough(livingNotes(seed, half));
    assert.equal(life.stalePromotions, []);
    assert.equal(life.staleAtEnd, []);
    assert.ok(life.duplicates <= 0.1, `duplicates ${life.duplicates}`);
    assert.ok(life.precision >= 0.85, `precision ${life.precision}`);
    assert.ok(life.recall >= 0.95, `recall ${life.recall}`);
  });
}

test.run();

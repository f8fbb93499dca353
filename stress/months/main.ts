/**
 * Simulates months of notes with paraphrases and updates, and prints what dreaming kept.
 *
 *   npm run months [-- --seeds N]
 */
import { parseArgs } from 'node:util';
import { type LifeScore, liveThrough } from '../../test/engine/dreaming/sweep/live-through.js';
import { livingNotes } from '../../test/engine/dreaming/sweep/living-notes.js';

const HALVES = ['tuned', 'held'] as const;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { seeds: { type: 'string', default: '10' } } });
  const seeds = Number(values.seeds);
  if (!Number.isInteger(seeds) || seeds < 1) throw new TypeError('--seeds must be at least 1');
  let isGood = true;
  for (const half of HALVES) {
    const lives: LifeScore[] = [];
    for (let seed = 101; seed < 101 + seeds; seed++) {
      const life = await liveThrough(livingNotes(seed, half));
      lives.push(life);
      process.stdout.write(`${half} ${seed}  ${wordsOf([life])}\n`);
    }
    process.stdout.write(`${half}      ${wordsOf(lives)}\n`);
    isGood &&= passes(lives);
  }
  if (!isGood) process.exitCode = 1;
}

function passes(lives: readonly LifeScore[]): boolean {
  return (
    mean(lives, 'precision') >= 0.85 &&
    mean(lives, 'recall') >= 0.95 &&
    mean(lives, 'duplicates') <= 0.1 &&
    lives.every(({ stalePromotions }) => stalePromotions.length === 0)
  );
}

function wordsOf(lives: readonly LifeScore[]): string {
  const shares = (['precision', 'recall', 'duplicates'] as const).map(
    (name) => `${name} ${mean(lives, name).toFixed(2)}`,
  );
  const count = (name: 'staleAtEnd' | 'stalePromotions'): number =>
    lives.reduce((sum, life) => sum + life[name].length, 0);
  return `${shares.join('  ')}  stale promotions ${count('stalePromotions')}, at the end ${count('staleAtEnd')}`;
}

function mean(lives: readonly LifeScore[], name: 'duplicates' | 'precision' | 'recall'): number {
  return lives.reduce((sum, life) => sum + life[name], 0) / lives.length;
}

await main();

/**
 * `npm run monkey`: 10,000 random key and escape sequences to all screens. A seed can be given to repeat a run.
 */
import { playMonkey } from '../../test/support/screen-monkey.js';
import { SCREENS, type ScreenName } from '../../test/support/screens.js';

const INPUTS = 10_000;
const seed = Number(process.argv[2] ?? Date.now() % 1_000_000);
const names = Object.keys(SCREENS) as readonly ScreenName[];

for (const name of names) {
  const started = performance.now();
  const inputs = Math.ceil(INPUTS / names.length);
  await playMonkey(name, seed, inputs);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`${name}: ${inputs} inputs, ${seconds} s, seed ${seed}`);
}

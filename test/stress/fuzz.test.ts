import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { seedsOf } from '../../stress/fuzz/seeds.js';
import { TARGETS } from '../../stress/fuzz/targets.js';

const test = suite('fuzzed functions');

/** Inputs that are new, each time the same: to see that the fuzzers work. `npm run fuzz` looks for more. */
const RUNS: Readonly<Record<string, number>> = {
  config: 20,
  markdown: 40,
  queries: 20,
  transcripts: 4,
  vendors: 8,
  chat: 3,
  mcp: 10,
  deliveries: 20,
};

for (const [name, open] of Object.entries(TARGETS)) {
  const runs = RUNS[name] ?? 0;
  const seeds = seedsOf(name);
  // Opening the listener costs more than all others; its requests have their own test.
  if (runs === 0 && seeds.length === 0) continue;
  test(`${name} holds its properties for inputs that once broke one, and some others`, async () => {
    const target = await open();
    for (const { input } of seeds) await target.replay(input);
    const { bug } = await target.hunt({ seed: 1, maxRuns: runs, maxMs: 10_000 });
    await target.close();
    assert.is(bug, undefined);
  });
}

test.run();

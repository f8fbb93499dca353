/**
 * Fuzzes one target in a separate process, which main.ts watches. The current input is in a file, so that a
 * crash or an endless loop can be reproduced.
 */
import { ftruncateSync, openSync, writeSync } from 'node:fs';
import { seedsOf } from './seeds.js';
import type { HuntResult } from './target.js';
import { TARGETS } from './targets.js';

const [name = '', seed, maxRuns, maxMs, inputFile = ''] = process.argv.slice(2);
const open = TARGETS[name];
if (open === undefined) throw new Error(`no target ${name}`);
const descriptor = openSync(inputFile, 'w');
const onInput = (json: string): void => {
  ftruncateSync(descriptor);
  writeSync(descriptor, json, 0);
};

const target = await open();
const result = await hunt();
await target.close();
process.send?.(result, () => process.exit());

async function hunt(): Promise<HuntResult> {
  for (const { name: file, input } of seedsOf(name)) {
    onInput(JSON.stringify(input));
    try {
      await target.replay(input);
    } catch (error) {
      return { runs: 0, bug: { input, why: `the seed ${file} again: ${String(error)}` } };
    }
  }
  return target.hunt({
    seed: Number(seed),
    maxRuns: Number(maxRuns),
    maxMs: Number(maxMs),
    onInput,
  });
}

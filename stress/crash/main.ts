/**
 * `npm run crash [-- VICTIM …] [--rounds 300] [--seed N]`: kills the program with SIGKILL at random moments,
 * half of them right after a first write, while it indexes, rebuilds an index, dreams, forgets, manages flows
 * and edits its configuration. After each kill it checks every promise of docs/durability.md. Kills that
 * come too late do not count. Exits with 1 at the first broken promise.
 */
import { inspect } from 'node:util';
import { seededRandom } from '../../src/engine/eval/random.js';
import { ordinaryProgram } from '../../test/support/ordinary-user.js';
import { tempFolder } from '../../test/support/temp-folder.js';
import { parseCommandLine } from '../flags.js';
import { type Aftermath, type CheckedPromise, PROMISES } from './promises.js';
import type { Victim } from './victim.js';
import { editingVictim, newConfigVictim, prepareConfig } from './victims/configuring.js';
import { dreamingVictim } from './victims/dreaming.js';
import { flowCommandVictim, listenerVictim } from './victims/flows.js';
import { forgettingVictim } from './victims/forgetting.js';
import { indexingVictims } from './victims/indexing.js';
import { makeWorld } from './world.js';

const ROUNDS = 300;
/** Attempts to kill a run before it ends. */
const TRIES = 20;

const commandLine = parseCommandLine('rounds', 'seed');
const rounds = commandLine.number('rounds') ?? ROUNDS;
const seed = commandLine.number('seed') ?? Date.now() % 1_000_000;

const world = makeWorld(seededRandom(seed));
prepareConfig(world.configFile);
const all: readonly Victim[] = [
  ...indexingVictims(),
  dreamingVictim(),
  listenerVictim(),
  flowCommandVictim(),
  editingVictim(),
  newConfigVictim(),
  forgettingVictim(),
];
const victims = all.filter(
  ({ name }) =>
    commandLine.names.length === 0 || commandLine.names.some((part) => name.includes(part)),
);
if (victims.length === 0) {
  throw new Error(`unknown victim; known: ${all.map(({ name }) => name).join(', ')}`);
}
const scratch = tempFolder();
const program = ordinaryProgram();
const kills = new Map<string, number>();
const seconds = new Map<string, number>();
const started = performance.now();

console.log(`node ${process.version}, ${rounds} kills, seed ${seed}`);
process.on('SIGINT', () => {
  report();
  process.exit(130);
});
await world.svc('memory', 'index');
try {
  for (let kill = 0; kill < rounds; kill++) await killAndCheck(kill);
  report();
} catch (error) {
  report();
  console.log(inspect(error));
  process.exitCode = 1;
}
// All listeners have been killed; do not wait for anything else.
process.exit();

async function killAndCheck(kill: number): Promise<void> {
  const victim = victims[kill % victims.length];
  if (victim === undefined) return;
  for (let attempt = 0; ; attempt++) {
    const round = kill * TRIES + attempt;
    world.editNotes(round);
    const reading = world.read('amber cedar');
    const before = world.handwrittenHashes();
    try {
      const { wasAtWork, hashesBefore = before } = await victim.killOnce(world, round);
      const reader = await reading;
      if (!wasAtWork && attempt < TRIES) continue;
      if (!wasAtWork) throw new Error(`${victim.name} always finished before it was killed`);
      const aftermath = { world, hashesBefore, reader, scratch, program };
      const parallel = PROMISES.filter(({ copies }) => copies).map((one) => check(one, aftermath));
      // Failures are reported below.
      for (const one of parallel) one.catch(() => undefined);
      for (const one of PROMISES.filter(({ copies }) => !copies)) await check(one, aftermath);
      await Promise.all(parallel);
      kills.set(victim.name, (kills.get(victim.name) ?? 0) + 1);
      return;
    } catch (error) {
      throw new Error(`kill ${kill} (${victim.name}, seed ${seed})`, { cause: error });
    }
  }
}

async function check(
  { promise, check: verify }: CheckedPromise,
  aftermath: Aftermath,
): Promise<void> {
  const from = performance.now();
  try {
    await verify(aftermath);
  } catch (error) {
    throw new Error(`broken promise: ${promise}`, { cause: error });
  }
  seconds.set(promise, (seconds.get(promise) ?? 0) + (performance.now() - from) / 1000);
}

function report(): void {
  console.log(`${((performance.now() - started) / 60_000).toFixed(1)} min`);
  for (const [name, count] of kills) console.log(`${String(count).padStart(5)} kills   ${name}`);
  const count = [...kills.values()].reduce((sum, one) => sum + one, 0);
  for (const [promise, took] of seconds) {
    console.log(`   kept ${String(count).padStart(4)} times (${took.toFixed(0)} s)   ${promise}`);
  }
}

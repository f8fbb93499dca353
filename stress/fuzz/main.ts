/**
 * `npm run fuzz [-- TARGET…] [--seconds 40 | --runs N] [--seed N]`: gives each target malformed inputs for some
 * seconds or runs, and prints one line per target. Known inputs from seeds/ come first. A new failing input is
 * stored there for the tests; then the exit code is 1.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod/mini';
import { parseCommandLine } from '../flags.js';
import { keepSeed } from './seeds.js';
import type { FoundBug, HuntResult } from './target.js';
import { TARGETS } from './targets.js';

const CHILD = fileURLToPath(new URL('child.ts', import.meta.url));
const SECONDS = 40;
/** If one input takes this long, its process hangs. */
const HANG_MS = 60_000;
const POLL_MS = 500;

const huntResultSchema = z.object({
  runs: z.number(),
  bug: z.optional(z.object({ input: z.unknown(), why: z.string() })),
});

const commandLine = parseCommandLine('seconds', 'runs', 'seed');
const seed = commandLine.number('seed') ?? Date.now() % 1_000_000;
const maxRuns = commandLine.number('runs') ?? Number.MAX_SAFE_INTEGER;
const seconds =
  commandLine.number('seconds') ?? (commandLine.number('runs') === undefined ? SECONDS : 86_400);
const names = commandLine.names.length > 0 ? commandLine.names : Object.keys(TARGETS);
for (const name of names) {
  if (!Object.hasOwn(TARGETS, name)) {
    throw new Error(`no target ${name}; there are ${Object.keys(TARGETS).join(', ')}`);
  }
}

console.log(`node ${process.version}, seed ${seed}, ${seconds} s each at most`);
const dir = mkdtempSync(join(tmpdir(), 'svc-fuzz-'));
try {
  for (const name of names) report(name, await fuzz(name));
} finally {
  rmSync(dir, { recursive: true, force: true });
}

interface Verdict extends HuntResult {
  readonly seconds: number;
}

async function fuzz(name: string): Promise<Verdict> {
  const inputFile = join(dir, `${name}.json`);
  const started = performance.now();
  const args = [name, seed, maxRuns, seconds * 1000, inputFile].map(String);
  const child = spawn(process.execPath, ['--import', 'tsx', CHILD, ...args], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-4000);
  });
  let reported: HuntResult | undefined;
  child.on('message', (message) => {
    const { runs, bug } = huntResultSchema.parse(message);
    reported = { runs, bug: bug === undefined ? undefined : { input: bug.input, why: bug.why } };
  });
  let hangs = false;
  const watch = setInterval(() => {
    if (Date.now() - lastTouched(inputFile) < HANG_MS) return;
    hangs = true;
    child.kill('SIGKILL');
  }, POLL_MS);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  clearInterval(watch);
  const took = (performance.now() - started) / 1000;
  if (reported !== undefined) return { ...reported, seconds: took };
  const why = hangs ? `no end after ${HANG_MS} ms` : `ended with ${code}: ${stderr}`;
  return { runs: 0, bug: lastInput(inputFile, why), seconds: took };
}

/** Milliseconds since the epoch; now if there is no input yet. */
function lastTouched(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
}

function lastInput(file: string, why: string): FoundBug {
  try {
    return { input: JSON.parse(readFileSync(file, 'utf8')), why };
  } catch {
    return { input: null, why };
  }
}

function report(name: string, { runs, bug, seconds: took }: Verdict): void {
  const head = `${name.padEnd(12)} ${String(runs).padStart(9)} inputs in ${took.toFixed(0)} s`;
  if (bug === undefined) {
    console.log(`${head}   ok`);
    return;
  }
  process.exitCode = 1;
  console.log(`${head}   BROKEN, kept in ${keepSeed(name, bug)}\n${bug.why}`);
}

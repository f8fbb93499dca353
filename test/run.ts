/**
 * The one test runner: first the checks (format and lint, types, layers, dead code, stale
 * generated files), then the test files, some processes at a time. Files that BATCHED matches share
 * processes, since starting one costs as much as most of them; every other has its own. Tests of the shared store
 * run on PGlite and on PostgreSQL: the server that SVC_TEST_POSTGRES_URL names, else a cluster of this run, where it is
 * installed. SVC_TEST_SEED gives properties other inputs. Ends with a line `N passed, N failed`.
 *
 *   npm test -- [--checks | --tests] [part of a path …]
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { replaceFile } from '../src/engine/support/replace-file.js';
import { compile } from './support/compile.js';
import { startCluster } from './support/postgres.js';
import { ROOT } from './support/run-svc.js';

interface Job {
  readonly kind: 'check' | 'tests';
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly needsSqlite: boolean;
}

interface Outcome {
  readonly passed: number;
  readonly failed: number;
}

interface Finished {
  readonly status: number | null;
  readonly output: string;
  readonly seconds: number;
}

/** These end what would never end; a busy machine can be ten times as slow as usual. */
const TIME_LIMIT_MS = 1_200_000;
/**
 * What a test leaves running keeps its process alive after the last test, or the output open after the process. The
 * test of this file does not wait that long.
 */
const LEFTOVER_LIMIT_MS = Number(process.env['SVC_TEST_LEFTOVER_MS'] ?? 60_000);
/** The last line that uvu prints. */
const SUMMARY = /^\s*Duration:/m;
/** Four more than there are cores: some always wait, for a terminal, a timer or another process. */
const PROCESSES = availableParallelism() + 4;

const CACHE = 'node_modules/.cache';
const SECONDS = `${CACHE}/svc-test-seconds.json`;
const TYPES_CACHE = `${CACHE}/types-7.tsbuildinfo`;
const CHECKS: readonly Job[] = [
  checkWith('format and lint', ['biome', 'check', '.']),
  // TypeScript 7 takes a fifth of the time; the check of layers needs the parser of TypeScript 6.
  {
    kind: 'check',
    name: 'types',
    command: 'node',
    args: [
      'node_modules/typescript-7/bin/tsc',
      ...['-p', '.', '--incremental', '--tsBuildInfoFile', TYPES_CACHE],
    ],
    needsSqlite: false,
  },
  checkWith('layers', ['depcruise', 'src', '--output-type', 'err-long']),
  checkWith('dead code', ['knip', '--no-progress']),
  {
    kind: 'check',
    name: 'generated files',
    command: 'node',
    args: ['scripts/generate-docs.js', '--check'],
    needsSqlite: false,
  },
];

function checkWith(name: string, [program = '', ...args]: readonly string[]): Job {
  const command = join('node_modules', '.bin', program);
  return { kind: 'check', name, command, args, needsSqlite: false };
}

/** End-to-end tests that neither change nor end their process. */
const BATCHED_E2E = [
  'documents',
  'dream-recalls',
  'eval',
  'files',
  'flag-variables',
  'flows',
  'forget',
  'integrate',
  'media',
  'overview',
  'providers',
  'scope',
  'search',
  'search-log',
  'sessions',
  'shaped-output',
  'transfer',
  'trust',
  'webhook-commands',
];
/** Files that share processes. In the excepted folders, tests are long, or change or end their process. */
const BATCHED = new RegExp(
  `^test/(?:(?:cli|docs|ui|engine/(?!child|flows|postgres|storage|task-runner)[^/]+)/|e2e/(?:${BATCHED_E2E.join('|')})\\.)`,
);
/** In a fresh clone, these can run while SQLite is compiled, which takes longer than the checks. */
const WITHOUT_SQLITE = new RegExp(
  `^test/(?:docs|fakes|run|stress/growth|ui|engine/(?:${[
    'chat',
    'child',
    'embeddings/batch',
    'listener',
    'masking',
    'memory/(?:chunking|extract)',
    'postgres',
    'providers(?!/local)',
    'secrets',
    'support',
  ].join('|')}))\\b`,
);
const BATCH_FILES = 12;
const BATCH = 'test/run-batch.ts';
/** What runs from source in a process that a test starts with its own options needs tsx, compiled tests do not. */
const NODE_OPTIONS = [
  '--enable-source-maps',
  '--import',
  new URL('support/source-children.mjs', import.meta.url).href,
];

/** @returns undefined when a file cannot be compiled, which is printed */
async function testJobs(pathParts: readonly string[]): Promise<readonly Job[] | undefined> {
  const files = testFiles(pathParts);
  const single = files.filter((file) => pathParts.length > 0 || !BATCHED.test(file));
  const batched = files.filter((file) => !single.includes(file));
  const entries = batched.length > 0 ? [...files, BATCH] : files;
  const compiled = await compile(Object.fromEntries(entries.map((file) => [file, file]))).catch(
    (error: unknown) => {
      console.log(
        `FAIL the tests do not compile\n${error instanceof Error ? error.message : error}`,
      );
    },
  );
  if (compiled === undefined) return undefined;
  const jobOf = (name: string, file: string, ...more: readonly string[]): Job => {
    const args = [...NODE_OPTIONS, join(compiled, `${file}.mjs`), ...more];
    const needsSqlite = !WITHOUT_SQLITE.test(name);
    return { kind: 'tests', name, command: process.execPath, args, needsSqlite };
  };
  const others = batched.filter((file) => !WITHOUT_SQLITE.test(file));
  const batches = [batched.filter((file) => WITHOUT_SQLITE.test(file)), others]
    .flatMap(inBatches)
    .map((some) => jobOf(`${some[0]} and ${some.length - 1} more`, BATCH, compiled, ...some));
  // Until their times are known: the longest are among the last by name.
  return [...batches, ...single.toReversed().map((file) => jobOf(file, file))];
}

function inBatches(files: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(files.length / BATCH_FILES) }, (_, at) =>
    files.slice(at * BATCH_FILES, (at + 1) * BATCH_FILES),
  );
}

function testFiles(pathParts: readonly string[]): string[] {
  return readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.test\.tsx?$/.test(file))
    .map((file) => join('test', file))
    .filter((file) => pathParts.length === 0 || pathParts.some((part) => file.includes(part)))
    .sort();
}

function runJob(job: Job, priority: number): Promise<Finished> {
  const started = Date.now();
  return new Promise((resolve) => {
    const options = { env: environment(), detached: true };
    const child = spawn(job.command, job.args, options);
    if (child.pid !== undefined) setPriority(child.pid, priority);
    running.add(child);
    let output = '';
    let isKilled = false;
    const killAfter = (limitMs: number, why: string): NodeJS.Timeout =>
      setTimeout(() => {
        output += `\n${why}: killed after ${limitMs / 1000} s`;
        isKilled = true;
        killWithChildren(child);
        // What has left the group could still keep them open.
        child.stdout.destroy();
        child.stderr.destroy();
      }, limitMs);
    let timer = killAfter(TIME_LIMIT_MS, 'its tests take too long');
    let isOver = false;
    const collect = (data: Buffer): void => {
      output += data.toString();
      if (isOver || job.kind === 'check' || !SUMMARY.test(output)) return;
      isOver = true;
      clearTimeout(timer);
      timer = killAfter(LEFTOVER_LIMIT_MS, 'something still runs after its last test');
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', (error) => {
      output += error.message;
    });
    child.on('exit', () => {
      clearTimeout(timer);
      timer = killAfter(LEFTOVER_LIMIT_MS, 'something that it started still runs');
    });
    child.on('close', (status) => {
      clearTimeout(timer);
      running.delete(child);
      const seconds = (Date.now() - started) / 1000;
      resolve({ status: isKilled ? null : status, output, seconds });
    });
  });
}

/**
 * Tests decide by themselves what the terminal can do: nothing of ours leaks in. Node reads the certificates of a
 * variable at every start, which takes longer than the start itself: the one download that may need them gets them.
 */
function environment(): NodeJS.ProcessEnv {
  const { NO_COLOR: _n, FORCE_COLOR: _f, CI: _c, NODE_EXTRA_CA_CERTS, ...env } = process.env;
  const certificates = NODE_EXTRA_CA_CERTS;
  return {
    ...env,
    FORCE_COLOR: '0',
    ...(certificates === undefined ? {} : { SVC_TEST_CA_CERTS: certificates }),
  };
}

const running = new Set<ChildProcess>();

/** Every job has a process group of its own, so that nothing outlives it, whatever it has started. */
function killWithChildren({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // None of the group is left.
  }
}

/** A terminal's Ctrl-C does not reach the groups of jobs. */
function endJobsOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      for (const child of running) killWithChildren(child);
      process.exit(128 + constants.signals[signal]);
    });
  }
}

/**
 * uvu prints `Total:`, `Passed:` and `Skipped:`. A check counts as one, and so does a file that died, or
 * that has no test: it has most likely lost its last line.
 */
function outcomeOf({ kind }: Job, { status, output }: Finished): Outcome {
  if (kind === 'check') return status === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
  const total = countIn(output, 'Total');
  const passed = countIn(output, 'Passed');
  const isEmpty = total + countIn(output, 'Skipped') === 0;
  const failed = total - passed;
  const isBroken = failed === 0 && (status !== 0 || isEmpty);
  return { passed, failed: isBroken ? 1 : failed };
}

function countIn(output: string, what: 'Passed' | 'Skipped' | 'Total'): number {
  return Number(new RegExp(`^\\s*${what}:\\s+(\\d+)`, 'm').exec(output)?.[1] ?? 0);
}

/** Compiles SQLite where that is still to do, which takes longer than the checks, and one processor. */
async function compileSqlite(): Promise<void> {
  const script = join(ROOT, 'scripts/build-checkout.js');
  const build = spawn(process.execPath, [script], { stdio: ['ignore', 'ignore', 'inherit'] });
  // It ends what it started.
  process.once('exit', () => build.kill());
  await once(build, 'close');
}

/** One server for all test files, which find it in the environment. */
async function providePostgres(): Promise<{ readonly name: string; stop(): Promise<void> }> {
  const nothing = async (): Promise<void> => undefined;
  if (process.env[POSTGRES_URL] !== undefined) {
    return { name: `the server of ${POSTGRES_URL}, and PGlite`, stop: nothing };
  }
  const cluster = await startCluster();
  if (cluster === undefined)
    return { name: 'PGlite only, since it is not installed', stop: nothing };
  const [server] = await cluster.sql('SHOW server_version');
  process.env[POSTGRES_URL] = cluster.url;
  return {
    name: `${Object.values(server ?? {}).join()} in a cluster of this run, and PGlite`,
    stop: () => cluster.stop(),
  };
}

const POSTGRES_URL = 'SVC_TEST_POSTGRES_URL';
const LOOK_FOR_SQLITE_MS = 1000;

/**
 * Temporary folders in memory, where the kernel takes half as long for files that are soon deleted. Only with ample room,
 * and where scripts can run, which some systems forbid.
 */
function provideFastFolder(): void {
  if (process.env['TMPDIR'] !== undefined || !existsSync(IN_MEMORY)) return;
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  if (bavail * bsize < LEAST_ROOM_BYTES) return;
  const script = join(IN_MEMORY, `svc-test-${process.pid}`);
  writeFileSync(script, '#!/bin/sh\n', { mode: 0o755 });
  if (spawnSync(script).status === 0) process.env['TMPDIR'] = IN_MEMORY;
  rmSync(script);
}

const IN_MEMORY = '/dev/shm';
const LEAST_ROOM_BYTES = 4 * 1024 ** 3;

/** Other inputs for properties whenever the source changes, and the same until then; others by chance without git. */
function provideSeed(): void {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD:src'], { encoding: 'utf8' });
  if (status === 0) process.env[SEED] ??= String(Number.parseInt(stdout.slice(0, 7), 16));
}

const SEED = 'SVC_TEST_SEED';

/** How long each job took when it last ran. */
function lastSeconds(): Map<string, number> {
  const schema = z.array(z.tuple([z.string(), z.number()]));
  return new Map(
    existsSync(SECONDS) ? schema.parse(JSON.parse(readFileSync(SECONDS, 'utf8'))) : [],
  );
}

/** So that no processor is idle while the last job is a long one. What never ran may be long. */
function longestFirst(jobs: readonly Job[], seconds: ReadonlyMap<string, number>): Job[] {
  const MANY = 1_000;
  const secondsOf = ({ name }: Job): number => seconds.get(name) ?? MANY;
  return jobs.toSorted((a, b) => secondsOf(b) - secondsOf(a));
}

async function main(): Promise<void> {
  const flags = process.argv.slice(2).filter((word) => word.startsWith('--'));
  const pathParts = process.argv.slice(2).filter((word) => !word.startsWith('--'));
  const checks = flags.includes('--tests') || pathParts.length > 0 ? [] : CHECKS;
  let passed = 0;
  let failed = 0;
  provideFastFolder();
  const tests = flags.includes('--checks') ? [] : await testJobs(pathParts);
  if (tests === undefined) failed += 1;
  const seconds = lastSeconds();
  const queue = longestFirst([...checks, ...(tests ?? [])], seconds);
  const postgres = (tests ?? []).length === 0 ? undefined : await providePostgres();
  if (postgres !== undefined) provideSeed();
  endJobsOnSignals();
  let hasSqlite = false;
  const sqlite = ((tests ?? []).length === 0 ? Promise.resolve() : compileSqlite()).then(() => {
    hasSqlite = true;
  });
  // It is there in most runs. Otherwise, the compiler should not wait for other jobs, as most of them wait for it.
  await Promise.race([sqlite, sleep(LOOK_FOR_SQLITE_MS)]);
  const next = async (): Promise<Job | undefined> => {
    const at = queue.findIndex(({ needsSqlite }) => hasSqlite || !needsSqlite);
    if (at >= 0 || queue.length === 0) return queue.splice(Math.max(at, 0), 1)[0];
    await sqlite;
    return next();
  };
  const worker = async (): Promise<void> => {
    for (let job = await next(); job !== undefined; job = await next()) {
      const { PRIORITY_LOW, PRIORITY_NORMAL } = constants.priority;
      const finished = await runJob(job, hasSqlite ? PRIORITY_NORMAL : PRIORITY_LOW);
      seconds.set(job.name, finished.seconds);
      const outcome = outcomeOf(job, finished);
      passed += outcome.passed;
      failed += outcome.failed;
      const mark = outcome.failed === 0 ? 'ok  ' : 'FAIL';
      console.log(`${mark} ${job.name} (${outcome.passed}, ${finished.seconds.toFixed(1)} s)`);
      if (outcome.failed > 0)
        console.log((finished.output.trimEnd() || 'ran no test').replaceAll(/^/gm, '     '));
    }
  };
  await Promise.all(Array.from({ length: PROCESSES }, worker));
  await postgres?.stop();
  mkdirSync(CACHE, { recursive: true });
  replaceFile(SECONDS, JSON.stringify([...seconds]), 0o644);
  if (postgres !== undefined) {
    console.log(`\nPostgreSQL: ${postgres.name}`);
    console.log(`${SEED}: ${process.env[SEED] ?? 'by chance'}`);
  }
  console.log(`\n${passed} passed, ${failed} failed`);
  if (failed > 0 || passed === 0) process.exitCode = 1;
}

await main();

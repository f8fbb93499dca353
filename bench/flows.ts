/**
 * `npm run bench -- flows`: durable creation of flows by 64 callers in one process, with an empty database and
 * with 100,000 flows in it, compared with a loop that writes rows of that size in synced transactions of 64.
 * With `--crash` it kills a writer 200 times instead.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { resolveConfig } from '../src/engine/config/index.js';
import { type Flows, openFlows } from '../src/engine/flows/index.js';
import { contextOf } from '../test/support/context.js';
import { median } from './measure.js';
import { report } from './report.js';

const CALLERS = 64;
const STORED = 100_000;
const CREATES = 10_000;
const ROUNDS = 7;
const CALLER = {
  sessionKey: 'agent:main:main',
  controllerId: 'webhooks/bench',
  actor: { kind: 'route', name: 'bench' },
} as const;
const GOAL = 'Publish the digest of this week when all of its pages are read';
const STATE = { week: 9, pages: ['one', 'two', 'three'], done: false };

interface Round {
  readonly perSecond: number;
  /** 99th percentile in milliseconds. */
  readonly p99Ms: number;
}

function openAt(home: string): Promise<Flows> {
  const context = contextOf(home);
  return openFlows(context, resolveConfig({}));
}

/** Every caller starts its next create when the last one is on disk. */
async function create(flows: Flows, count: number): Promise<Round> {
  const times: number[] = [];
  let begun = 0;
  const call = async (): Promise<void> => {
    while (begun < count) {
      begun += 1;
      const started = performance.now();
      const action = { action: 'create_flow', goal: GOAL, stateJson: STATE } as const;
      await flows.perform(action, CALLER);
      times.push(performance.now() - started);
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: CALLERS }, call));
  const seconds = (performance.now() - started) / 1000;
  times.sort((a, b) => a - b);
  return { perSecond: count / seconds, p99Ms: times[Math.floor(count * 0.99)] ?? Number.NaN };
}

/** The limit of the disk and SQLite: the same rows in transactions of the same size. */
function rawLoop(file: string): (count: number) => number {
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.exec('CREATE TABLE IF NOT EXISTS rows (n INTEGER PRIMARY KEY, text TEXT)');
  const insert = database.prepare('INSERT INTO rows (text) VALUES (?)');
  const text = JSON.stringify({ GOAL, STATE, more: 'x'.repeat(120) });
  const batch = database.transaction(() => {
    for (let n = 0; n < CALLERS; n++) insert.run(text);
  });
  return (count) => {
    const started = performance.now();
    for (let n = 0; n < count; n += CALLERS) batch.immediate();
    return (count / (performance.now() - started)) * 1000;
  };
}

async function measure(dir: string): Promise<void> {
  const full = await openAt(join(dir, 'full'));
  const raw = rawLoop(join(dir, 'raw.sqlite'));
  await create(full, STORED);
  const rounds: { readonly baseline: number; readonly empty: Round; readonly full: Round }[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const home = join(dir, `empty-${round}`);
    const empty = await openAt(home);
    const measured = {
      baseline: raw(CREATES),
      empty: await create(empty, CREATES),
      full: await create(full, CREATES),
    };
    await empty.close();
    rmSync(home, { recursive: true });
    // Warm-up.
    if (round > 0) rounds.push(measured);
  }
  await full.close();
  const baseline = median(rounds.map((round) => round.baseline));
  const rate = (of: 'empty' | 'full'): number => median(rounds.map((round) => round[of].perSecond));
  const p99 = (of: 'empty' | 'full'): number => median(rounds.map((round) => round[of].p99Ms));
  const perSecond = (value: number): string => `${value.toFixed(0)}/s`;
  const ms = (value: number): string => `${value.toFixed(1)} ms`;
  const times = (a: number, b: number): string => `${(a / b).toFixed(2)} ×`;
  report('flows', `${CALLERS} callers, ${ROUNDS} rounds of ${CREATES} creates`, [
    {
      what: 'durable creates, none before',
      value: perSecond(rate('empty')),
      baseline: perSecond(baseline),
      ratio: times(rate('empty'), baseline),
    },
    {
      what: `durable creates, ${STORED} stored`,
      value: perSecond(rate('full')),
      baseline: perSecond(rate('empty')),
      ratio: times(rate('full'), rate('empty')),
      target: '0.90 ×',
    },
    { what: 'p99 of one, none before', value: ms(p99('empty')) },
    {
      what: `p99 of one, ${STORED} stored`,
      value: ms(p99('full')),
      baseline: ms(p99('empty')),
      ratio: times(p99('full'), p99('empty')),
      target: '1.10 ×',
    },
  ]);
}

function crash(): void {
  const test = fileURLToPath(new URL('../test/engine/flows/crash.test.ts', import.meta.url));
  const env = { ...process.env, SVC_FLOW_CRASH_ROUNDS: '200' };
  const run = spawnSync(process.execPath, ['--import', 'tsx', test], { env, stdio: 'inherit' });
  process.exitCode = run.status ?? 1;
}

if (process.argv.includes('--crash')) {
  crash();
} else {
  const dir = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  try {
    await measure(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The rows of `npm run bench -- postgres` about flows. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConfigInput, resolveConfig } from '../src/engine/config/index.js';
import { openFlows } from '../src/engine/flows/index.js';
import { contextOf } from '../test/support/context.js';
import {
  configuration,
  killChildren,
  load,
  ROOT,
  startEmptyHandler,
  startListener,
} from './listener-load.js';
import { median } from './measure.js';
import type { Row } from './table.js';

const ROUNDS = 5;
const SECONDS = 4;
const WORKERS = 8;
const TASKS = 8000;

/** Durable creates over HTTP and claims of workers, next to SQLite. @param url a server with the tables of svc */
export async function benchFlows(url: string): Promise<readonly Row[]> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-bench-postgres-'));
  try {
    return [...(await creates(url, dir)), ...(await claims(url, dir))];
  } finally {
    killChildren();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function creates(url: string, dir: string): Promise<readonly Row[]> {
  const empty = await startEmptyHandler(dir);
  const storage = { storage: { url } };
  const sqlite = await listenerIn(mkdtempSync(join(dir, 'sqlite-')), {});
  const one = await listenerIn(mkdtempSync(join(dir, 'one-')), storage);
  const two = await listenerIn(mkdtempSync(join(dir, 'two-')), storage);
  const rates = { empty: [0], sqlite: [0], one: [0], two: [0] };
  for (let round = 0; round <= ROUNDS; round++) {
    const measured = {
      empty: await rateOf([empty]),
      sqlite: await rateOf([sqlite]),
      one: await rateOf([one]),
      two: await rateOf([one, two]),
    };
    // Warm-up.
    for (const name of ['empty', 'sqlite', 'one', 'two'] as const) {
      if (round === 1) rates[name].length = 0;
      rates[name].push(measured[name]);
    }
  }
  killChildren();
  const rate = (name: keyof typeof rates): number => median(rates[name]);
  const line = (what: string, value: number, baseline: number, target: string): Row => ({
    what,
    value: perSecond(value),
    baseline: perSecond(baseline),
    ratio: times(value, baseline),
    target,
  });
  return [
    line('create_flow, one listener (empty handler)', rate('one'), rate('empty'), '>= 4000/s'),
    line('create_flow, one listener (SQLite)', rate('one'), rate('sqlite'), ''),
    line('create_flow, two listeners (one)', rate('two'), rate('one'), '>= 1.6'),
  ];
}

async function listenerIn(home: string, more: ConfigInput): Promise<string> {
  writeFileSync(join(home, 'svc.json'), JSON.stringify({ ...configuration(), ...more }));
  return (await startListener(home)).route;
}

/** Requests per second, with all connections to each. */
async function rateOf(routes: readonly string[]): Promise<number> {
  const results = await Promise.all(routes.map((route) => load(route, { duration: SECONDS })));
  return results.reduce((total, { requests }) => total + requests.average, 0);
}

async function claims(url: string, dir: string): Promise<readonly Row[]> {
  const server = await claimsPerSecond({ storage: { url, poolSize: 2 } }, dir);
  const sqlite = await claimsPerSecond({}, dir);
  const what = `claims, ${WORKERS} workers (SQLite)`;
  return [
    {
      what,
      value: perSecond(server),
      baseline: perSecond(sqlite),
      ratio: times(server, sqlite),
      target: '>= 1500/s',
    },
  ];
}

async function claimsPerSecond(config: ConfigInput, home: string): Promise<number> {
  await queueTasks(config, home);
  const children = Array.from({ length: WORKERS }, () =>
    spawn(
      process.execPath,
      ['--import', 'tsx', 'bench/claim-worker.ts', JSON.stringify(config), home],
      { cwd: ROOT, stdio: ['pipe', 'pipe', 'inherit'] },
    ),
  );
  const outputs = children.map((child) => {
    const output = { text: '' };
    child.stdout.on('data', (part: Buffer) => {
      output.text += part.toString();
    });
    return output;
  });
  await Promise.all(children.map((child) => once(child.stdout, 'data')));
  const ended = children.map((child) => once(child, 'close'));
  for (const child of children) child.stdin.write('go\n');
  await Promise.all(ended);
  const results = outputs.map(({ text }) => {
    const parsed: { startedMs: number; endedMs: number; claimed: number } = JSON.parse(
      text.trim().split('\n').at(-1) ?? '{}',
    );
    return parsed;
  });
  const claimed = results.reduce((total, one) => total + one.claimed, 0);
  if (claimed !== TASKS) throw new Error(`${claimed} of ${TASKS} tasks were claimed`);
  const startedMs = Math.min(...results.map((one) => one.startedMs));
  const endedMs = Math.max(...results.map((one) => one.endedMs));
  return (claimed / (endedMs - startedMs)) * 1000;
}

async function queueTasks(config: ConfigInput, home: string): Promise<void> {
  const context = contextOf(home);
  const flows = await openFlows(context, resolveConfig(config));
  const caller = {
    sessionKey: 'agent:main:main',
    controllerId: 'bench',
    actor: { kind: 'route', name: 'bench' },
  } as const;
  const made = await flows.perform({ action: 'create_flow', goal: 'g' }, caller);
  const flowId = String(Object(made.result['flow']).flowId);
  const run = { action: 'run_task', flowId, runtime: 'subagent', task: 't' } as const;
  await Promise.all(Array.from({ length: TASKS }, () => flows.perform(run, caller)));
  await flows.close();
}

function perSecond(value: number): string {
  return `${value.toFixed(0)}/s`;
}

function times(value: number, baseline: number): string {
  return (value / baseline).toFixed(2);
}

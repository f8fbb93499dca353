/**
 * `npm run bench -- webhooks [--seconds N] [--requests N]`: creates flows over loopback, each on disk before it is
 * acknowledged, compared with an empty handler of the same HTTP library in the same run.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveConfig } from '../src/engine/config/index.js';
import { openFlows } from '../src/engine/flows/index.js';
import { contextOf } from '../test/support/context.js';
import {
  CONNECTIONS,
  configuration,
  killChildren,
  load,
  SESSION,
  startEmptyHandler,
  startListener,
} from './listener-load.js';
import { median } from './measure.js';
import { report } from './report.js';
import type { Row } from './table.js';

const ROUNDS = 3;
const STORED_FLOWS = 100_000;

const seconds = option('--seconds', 5);
const memoryRequests = option('--requests', 200_000);
const home = mkdtempSync(join(tmpdir(), 'svc-bench-webhooks-'));
try {
  await main();
} finally {
  killChildren();
  rmSync(home, { recursive: true, force: true });
}

async function main(): Promise<void> {
  writeFileSync(join(home, 'svc.json'), JSON.stringify(configuration()));
  const emptyUrl = await startEmptyHandler(home);
  const { route, pid } = await startListener(home);
  const fresh = await measureAlternating(emptyUrl, route);
  const freshP99 = await latencies(emptyUrl, route, fresh.listener / 2);
  await storeFlows();
  const full = await measureAlternating(emptyUrl, route);
  const fullP99 = await latencies(emptyUrl, route, full.listener / 2);
  report('webhooks', `${CONNECTIONS} connections, ${seconds} s a round`, [
    { what: 'create_flow, requests/s', ...compared(fresh), target: '>= 0.5' },
    { what: 'p99 at half that load', ...freshP99, target: '<= 20 ms' },
    { what: `create_flow, ${STORED_FLOWS} flows stored`, ...compared(full), target: '>= 0.5' },
    { what: '  relative to the first', ...ratio(shareOf(full), shareOf(fresh)), target: '>= 0.9' },
    { what: 'p99 at half that load', ...fullP99, target: '<= 20 ms' },
  ]);
  await memory(route, pid);
}

type Comparison = Omit<Row, 'what' | 'target'>;

interface Speeds {
  readonly empty: number;
  readonly listener: number;
}

/** In turn, so that a slow phase of the machine affects both. */
async function measureAlternating(emptyUrl: string, route: string): Promise<Speeds> {
  const empty: number[] = [];
  const listener: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const atEmpty = await load(emptyUrl, { duration: seconds });
    const atListener = await load(route, { duration: seconds });
    if (round === 0) continue;
    empty.push(atEmpty.requests.average);
    listener.push(atListener.requests.average);
  }
  return { empty: median(empty), listener: median(listener) };
}

/** Compared with what the load generator and this machine can do at the same rate. */
async function latencies(emptyUrl: string, route: string, perSecond: number): Promise<Comparison> {
  const baseline = await latencyAt(emptyUrl, perSecond);
  const value = await latencyAt(route, perSecond);
  return { value: `${value} ms`, baseline: `${baseline} ms` };
}

async function latencyAt(route: string, perSecond: number): Promise<number> {
  const overallRate = Math.max(CONNECTIONS, Math.round(perSecond));
  const { latency } = await load(route, { duration: seconds * 2, overallRate });
  return latency.p99;
}

/** Rows of text: memory must not grow with the number of requests. */
async function memory(route: string, pid: number): Promise<void> {
  const STEPS = 10;
  console.log('\nrequests     memory MB');
  for (let step = 0; step <= STEPS; step++) {
    if (step > 0) await load(route, { amount: Math.round(memoryRequests / STEPS) });
    const served = Math.round((memoryRequests * step) / STEPS);
    console.log(`${String(served).padStart(8)}     ${residentMb(pid).toFixed(0).padStart(9)}`);
  }
}

/** Stored as by a listener, but without the network. */
async function storeFlows(): Promise<void> {
  const flows = await openFlows(contextOf(home), resolveConfig({}));
  const caller = {
    sessionKey: SESSION,
    controllerId: 'bench',
    actor: { kind: 'route', name: 'bench' },
  } as const;
  const AT_ONCE = 1000;
  for (let done = 0; done < STORED_FLOWS; done += AT_ONCE) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, () =>
        flows.perform({ action: 'create_flow', goal: 'stored', stateJson: { done } }, caller),
      ),
    );
  }
  await flows.close();
}

function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/u.exec(status)?.[1] ?? Number.NaN) / 1024;
}

function shareOf({ empty, listener }: Speeds): number {
  return listener / empty;
}

function compared({ empty, listener }: Speeds): Comparison {
  return {
    value: listener.toFixed(0),
    baseline: empty.toFixed(0),
    ratio: (listener / empty).toFixed(2),
  };
}

function ratio(value: number, baseline: number): Comparison {
  return {
    value: value.toFixed(2),
    baseline: baseline.toFixed(2),
    ratio: (value / baseline).toFixed(2),
  };
}

function option(name: string, fallback: number): number {
  const at = process.argv.indexOf(name);
  const value = Number(process.argv[at + 1]);
  return at === -1 || !(value > 0) ? fallback : value;
}

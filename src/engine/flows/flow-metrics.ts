import { statfs } from 'node:fs/promises';
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type Metric,
  Registry,
} from 'prom-client';
import { ENDED_FLOW_STATUSES } from '../flow-model/flow-record.js';
import { type PauseRecord, TASK_RUNTIMES } from '../flow-model/task-record.js';
import type { PoolUse, ServerContext } from '../postgres/index.js';
import { withinTime } from '../support/async.js';
import type { EngineContext } from '../support/context.js';
import type { Flows } from './open-flows.js';

/** What the metrics of flows are read from. */
export interface FlowMetricSources {
  /** Undefined while they are not open. */
  readonly flows: () => ReadFlows | undefined;
  /** Whether everything in this process that changes them could store its last change. */
  readonly isStoring: () => boolean;
  readonly context: Pick<ServerContext, 'servers'> & {
    /** Where changes are written on this host. */
    readonly state: Pick<EngineContext['state'], 'stateDir'>;
  };
}

type ReadFlows = Pick<Flows, 'ended' | 'now' | 'policy' | 'statistics'> & {
  readonly tasks: Pick<Flows['tasks'], 'paused'>;
};

/** Metrics in the format of Prometheus. */
export type Metrics = ReturnType<typeof createFlowMetrics>;

/** However long a store takes: metrics of everything else are still answered. */
const MOST_READ_MS = 2000;
/** A change gets its time before it is committed. */
const COMMIT_MS = 2000;
/** In seconds: from a script to an agent that works for hours. */
const TASK_BUCKETS = [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 7200, 14_400];

/** Metrics of the process, its connections to PostgreSQL and the flow store. */
export function createFlowMetrics(
  { flows, isStoring, context }: FlowMetricSources,
  registry = new Registry(),
) {
  for (const metric of processMetrics()) registry.registerMetric(metric);
  addStorageMetrics(registry, () =>
    [...(context.servers?.values() ?? [])].map(({ poolUse }) => poolUse),
  );
  const readFlows = addFlowMetrics(registry, { flows, isStoring }, context.state.stateDir);
  return {
    contentType: registry.contentType,
    /** Never rejects because of a store. */
    text: async (): Promise<string> => {
      await readFlows();
      return await registry.metrics();
    },
    close: () => registry.clear(),
  };
}

let measured: readonly Metric[] | undefined;

/** What measures the process cannot be stopped: it is started once, however often a listener is. */
function processMetrics(): readonly Metric[] {
  if (measured === undefined) {
    const register = new Registry();
    collectDefaultMetrics({ register });
    const names = register.getMetricsAsArray().map(({ name }) => name);
    measured = names.flatMap((name) => register.getSingleMetric(name) ?? []);
  }
  return measured;
}

/**
 * With a shared store, every host reports the same: take the maximum of all hosts, not the sum. What ended is counted
 * from when the store is first open.
 *
 * @returns reads the store; to be called before the metrics are printed. Never rejects
 */
function addFlowMetrics(
  registry: Registry,
  { flows: openFlows, isStoring }: Pick<FlowMetricSources, 'flows' | 'isStoring'>,
  stateDir: string,
): () => Promise<void> {
  const registers = [registry];
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Gauge({ name, help, labelNames, registers });
  const active = gauge('svc_flows', 'Flows that have not ended by status', ['status']);
  const queued = gauge('svc_tasks_queued', 'Queued tasks by runtime', ['runtime']);
  const oldest = gauge(
    'svc_tasks_oldest_queued_seconds',
    'How long the first task of the queue has waited, by runtime',
    ['runtime'],
  );
  const running = gauge('svc_tasks_running', 'Running tasks by runtime', ['runtime']);
  const paused = gauge(
    'svc_tasks_paused',
    'Whether tasks of the runtime are paused (1) or not (0), so that no worker takes them',
    ['runtime'],
  );
  const backlog = gauge('svc_notifications_pending', 'Undelivered notifications by target', [
    'target',
  ]);
  const up = gauge(
    'svc_flow_store_up',
    'Whether the flow store answered in time (1) or not (0)',
    [],
  );
  new Gauge({
    name: 'svc_flow_store_writable',
    help: 'Whether the last change could be stored (1) or not (0)',
    registers,
    collect() {
      if (openFlows() === undefined) this.remove();
      else this.set(isStoring() ? 1 : 0);
    },
  });
  const endedFlows = new Counter({
    name: 'svc_flows_ended_total',
    help: 'Flows that ended by status',
    labelNames: ['status'] as const,
    registers,
  });
  const durations = new Histogram({
    name: 'svc_task_duration_seconds',
    help: 'Time from the first start of ended tasks to their end, by runtime and outcome',
    labelNames: ['runtime', 'outcome'] as const,
    buckets: TASK_BUCKETS,
    registers,
  });
  const settled = new Counter({
    name: 'svc_notifications_settled_total',
    help: 'Notifications that were delivered or given up, by target and outcome',
    labelNames: ['target', 'outcome'] as const,
    registers,
  });
  const free = gauge('svc_state_free_bytes', 'Free space where the state folder is', []);
  const gauges = [active, queued, oldest, running, paused, backlog];
  let fromMs = openFlows()?.now();

  const readStore = async (flows: ReadFlows): Promise<void> => {
    const nowMs = flows.now();
    startCounters(flows.policy);
    fromMs ??= nowMs;
    const period = { fromMs, toMs: Math.max(fromMs, nowMs - COMMIT_MS) };
    const statistics = await flows.statistics();
    const pauses = await flows.tasks.paused();
    const ended = await flows.ended(period);
    fromMs = period.toMs;
    for (const one of gauges) one.reset();
    for (const { status, count } of statistics.flows) active.set({ status }, count);
    for (const { runtime, count, sinceMs } of statistics.queued) {
      queued.set({ runtime }, count);
      oldest.set({ runtime }, Math.max(0, nowMs - sinceMs) / 1000);
    }
    for (const { runtime, count } of statistics.running) running.set({ runtime }, count);
    setPaused(pauses);
    for (const { target, count } of statistics.notifications) backlog.set({ target }, count);
    for (const { status, count } of ended.flows) endedFlows.inc({ status }, count);
    for (const { runtime, status, ms } of ended.tasks) {
      if (ms !== null) durations.observe({ runtime, outcome: status }, ms / 1000);
    }
    for (const { target, outcome, count } of ended.notifications) {
      settled.inc({ target, outcome }, count);
    }
    up.set(1);
  };
  /** Prometheus sees no increase in a counter that first appears with 1. */
  const startCounters = ({ targets }: ReadFlows['policy']): void => {
    for (const status of ENDED_FLOW_STATUSES) endedFlows.inc({ status }, 0);
    for (const { id: target } of targets) {
      for (const outcome of ['delivered', 'failed']) settled.inc({ target, outcome }, 0);
    }
  };
  const setPaused = (pauses: readonly PauseRecord[]): void => {
    const waiting = new Set(pauses.map(({ runtime }) => runtime));
    for (const runtime of TASK_RUNTIMES) paused.set({ runtime }, waiting.has(runtime) ? 1 : 0);
  };
  const markDown = (): void => {
    for (const one of gauges) one.reset();
    up.set(0);
  };

  let reading: Promise<void> | undefined;
  return async () => {
    const flows = openFlows();
    reading ??= (flows === undefined ? Promise.reject() : readStore(flows))
      .catch(markDown)
      .finally(() => {
        reading = undefined;
      });
    const outcome = await withinTime(MOST_READ_MS, undefined, () =>
      Promise.all([reading, readDisk()]),
    );
    if (!outcome.done) markDown();
  };

  async function readDisk(): Promise<void> {
    const disk = await statfs(stateDir).catch(() => undefined);
    if (disk === undefined) free.reset();
    else free.set(disk.bavail * disk.bsize);
  }
}

function addStorageMetrics(registry: Registry, pools: () => readonly PoolUse[]): void {
  const registers = [registry];
  new Gauge({
    name: 'svc_storage_connections',
    help: 'Connections to PostgreSQL by state, and statements that wait for one',
    labelNames: ['state'] as const,
    registers,
    collect() {
      this.reset();
      for (const { inUse, idle, waiting } of pools()) {
        this.inc({ state: 'in_use' }, inUse);
        this.inc({ state: 'idle' }, idle);
        this.inc({ state: 'waiting' }, waiting);
      }
    },
  });
  new Counter({
    name: 'svc_storage_failures_total',
    help: 'Failed connections and statements of PostgreSQL',
    registers,
    collect() {
      this.reset();
      this.inc(pools().reduce((sum, { failures }) => sum + failures, 0));
    },
  });
}

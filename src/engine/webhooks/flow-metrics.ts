import { statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type Flows, type PauseRecord, TASK_RUNTIMES } from '../flows/index.js';

/** What the metrics of flows are read from. */
export interface FlowMetricSources {
  readonly flows: Pick<Flows, 'ended' | 'now' | 'statistics' | 'writes'> & {
    readonly tasks: Pick<Flows['tasks'], 'paused'>;
  };
  /** Where changes are written on this host. */
  readonly stateDir: string;
}

/** However long a store takes: metrics of everything else are still answered. */
const MOST_READ_MS = 2000;
/** A change gets its time before it is committed. */
const COMMIT_MS = 2000;
/** In seconds: from a script to an agent that works for hours. */
const TASK_BUCKETS = [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 7200, 14_400];

/**
 * Metrics of the flow store. With a shared store, every host reports the same: take the maximum of all hosts, not the
 * sum. What ended is counted from the start of this process.
 *
 * @returns reads the store; to be called before the metrics are printed. Never rejects
 */
export function addFlowMetrics(
  registry: Registry,
  sources: FlowMetricSources,
): () => Promise<void> {
  const { flows, stateDir } = sources;
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
      this.set(flows.writes.failure() === undefined ? 1 : 0);
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
    help: 'How long ended tasks ran, by runtime and outcome',
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
  let fromMs = flows.now();

  const readStore = async (): Promise<void> => {
    const nowMs = flows.now();
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
    showPauses(pauses);
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
  const showPauses = (pauses: readonly PauseRecord[]): void => {
    const waiting = new Set(pauses.map(({ runtime }) => runtime));
    for (const runtime of TASK_RUNTIMES) paused.set({ runtime }, waiting.has(runtime) ? 1 : 0);
  };
  const forget = (): void => {
    for (const one of gauges) one.reset();
    up.set(0);
  };

  let reading: Promise<void> | undefined;
  return async () => {
    const stop = new AbortController();
    reading ??= readStore()
      .catch(forget)
      .finally(() => {
        reading = undefined;
      });
    const late = sleep(MOST_READ_MS, undefined, { signal: stop.signal }).then(
      forget,
      () => undefined,
    );
    await Promise.race([Promise.all([reading, readDisk()]), late]);
    stop.abort();
  };

  async function readDisk(): Promise<void> {
    const disk = await statfs(stateDir).catch(() => undefined);
    if (disk === undefined) free.reset();
    else free.set(disk.bavail * disk.bsize);
  }
}

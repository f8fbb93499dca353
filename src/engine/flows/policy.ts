import { RUNTIME_DEFAULTS } from '../config/defaults.js';
import type { ResolvedConfig } from '../config/index.js';
import type { TaskRuntime } from './task-record.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What the configuration says of flows, in the units it is used in. */
export interface FlowPolicy {
  /** How long ended flows and tasks are kept. */
  readonly retentionMs: number;
  /** How long a repeated request is recognised. */
  readonly idempotencyMs: number;
  /** How long a worker may be silent before its task is taken from it. */
  readonly leaseMs: number;
  /** What becomes of a task whose worker is gone. */
  readonly orphans: 'lost' | 'requeue';
  /** Whether there is anybody to notify; without, no notification is written down. */
  readonly notifies: boolean;
  /** How often a task is begun before it has failed. */
  readonly maxAttempts: (runtime: TaskRuntime) => number;
}

/** Reads it from the configuration. */
export function flowPolicy({ flows }: ResolvedConfig): FlowPolicy {
  const { runtimes, notify } = flows;
  const attempts: Partial<Record<TaskRuntime, number>> = {
    ...(runtimes.subagent === undefined ? {} : { subagent: runtimes.subagent.maxAttempts }),
    ...(runtimes.acp === undefined ? {} : { acp: runtimes.acp.maxAttempts }),
  };
  return {
    retentionMs: flows.retentionDays * DAY_MS,
    idempotencyMs: flows.idempotencyHours * HOUR_MS,
    leaseMs: flows.leaseSeconds * 1000,
    orphans: flows.orphans,
    notifies: notify.command !== undefined || notify.url !== undefined,
    maxAttempts: (runtime) => attempts[runtime] ?? RUNTIME_DEFAULTS.maxAttempts,
  };
}

import { isDeepStrictEqual } from 'node:util';
import { type ResolvedConfig, RUNTIME_DEFAULTS } from '../config/index.js';
import { type ClockJump, MS_PER_DAY, MS_PER_HOUR } from '../support/time.js';
import type { FlowRecord } from './flow-record.js';
import type { Tables } from './flow-store.js';
import type { Actor, NewHistoryEntry } from './history.js';
import { type NotificationFilter, notificationTargets } from './notification-record.js';
import type { TaskRecord, TaskRuntime } from './task-record.js';

/** A change that is on disk. */
export type FlowsChange =
  | { readonly type: 'flow'; readonly flow: FlowRecord }
  | { readonly type: 'notification'; readonly id: string }
  | { readonly type: 'pause' }
  | { readonly type: 'task'; readonly task: TaskRecord };

/** What a change works with: one transaction at one moment. */
export interface Work extends Tables {
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** The last jump of the clock that this process noticed; it does not shorten leases. */
  readonly jump: ClockJump | undefined;
  readonly policy: FlowPolicy;
  /** On whose behalf it is. */
  readonly actor: Actor;
  /** What the transaction has changed so far, in order. */
  readonly changes: FlowsChange[];
  /** The same for the history, which is stored at the end of the transaction. */
  readonly notes: NewHistoryEntry[];
}

/** The configuration of flows, in the units it is used in. */
export interface FlowPolicy {
  /** How long ended flows and tasks are kept. */
  readonly retentionMs: number;
  /** How long a repeated request is recognised. */
  readonly idempotencyMs: number;
  /** How long a worker can be silent before its task is taken back. */
  readonly leaseMs: number;
  /** What becomes of a task whose worker is dead. */
  readonly orphans: 'lost' | 'requeue';
  /** Who is notified; without any, no notification is stored. */
  readonly targets: readonly NotificationFilter[];
  /** How often a task is attempted before it has failed. */
  readonly maxAttempts: (runtime: TaskRuntime) => number;
}

export function flowPolicy(config: ResolvedConfig): FlowPolicy {
  const { flows } = config;
  const { runtimes } = flows;
  const attempts: Partial<Record<TaskRuntime, number | undefined>> = {
    subagent: runtimes.subagent?.maxAttempts,
    acp: runtimes.acp?.maxAttempts,
  };
  return {
    retentionMs: flows.retentionDays * MS_PER_DAY,
    idempotencyMs: flows.idempotencyHours * MS_PER_HOUR,
    leaseMs: flows.leaseSeconds * 1000,
    orphans: flows.orphans,
    targets: notificationTargets(config).map(({ filter }) => filter),
    maxAttempts: (runtime) => attempts[runtime] ?? RUNTIME_DEFAULTS.maxAttempts,
  };
}

/** Whether two configurations open the same flows: in one store, with the same policy. */
export function opensSameFlows(a: ResolvedConfig, b: ResolvedConfig): boolean {
  return isDeepStrictEqual(openedWith(a), openedWith(b));
}

function openedWith(config: ResolvedConfig) {
  const { flows, storage, secrets } = config;
  const targets = notificationTargets(config).map(({ filter }) => filter);
  const isReferenced = storage.url !== undefined && storage.url.kind !== 'plain';
  return { flows, storage, targets, secrets: isReferenced ? secrets : undefined };
}

import { isDeepStrictEqual } from 'node:util';
import { type ResolvedConfig, RUNTIME_DEFAULTS } from '../config/index.js';
import type { TaskRuntime } from '../flow-model/task-record.js';
import { MS_PER_DAY, MS_PER_HOUR } from '../support/time.js';
import type { FlowPolicy } from './flow-store.js';
import { notificationTargets } from './notification-targets.js';

/** The policy of a configuration. */
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
  return isDeepStrictEqual(openingSettings(a), openingSettings(b));
}

function openingSettings(config: ResolvedConfig) {
  const { flows, storage, secrets } = config;
  const targets = notificationTargets(config).map(({ filter }) => filter);
  const isReferenced = storage.url !== undefined && storage.url.kind !== 'plain';
  return { flows, storage, targets, secrets: isReferenced ? secrets : undefined };
}

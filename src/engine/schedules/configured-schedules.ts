import type { ResolvedConfig } from '../config/index.js';
import { SvcError } from '../errors/index.js';
import { actionTemplate } from '../flows/action-template.js';
import type { FlowSchedule, MadeFlow } from '../flows/index.js';
import { lastRun, nextRuns } from '../support/cron-times.js';
import { iso } from '../support/time.js';

/** A schedule of the configuration. */
export interface Schedule extends FlowSchedule {
  readonly enabled: boolean;
  readonly cron: string;
  /** Undefined means the host's. */
  readonly timezone: string | undefined;
  /** Due times after a moment, in milliseconds since the epoch. */
  readonly nextDue: (afterMs: number, count: number) => readonly number[];
}

type Settings = ResolvedConfig['schedules'][string];

/** All schedules, also disabled ones. */
export function configuredSchedules({ schedules }: ResolvedConfig): readonly Schedule[] {
  return Object.entries(schedules).map(([id, settings]) => scheduleOf(id, settings));
}

/** @throws SvcError SCHEDULE_UNKNOWN */
export function configuredSchedule(id: string, config: ResolvedConfig): Schedule {
  const settings = config.schedules[id];
  if (settings !== undefined) return scheduleOf(id, settings);
  const ids = Object.keys(config.schedules);
  throw new SvcError('SCHEDULE_UNKNOWN', `there is no schedule ${JSON.stringify(id)}`, {
    hint:
      ids.length === 0
        ? 'add one to "schedules" in svc.json'
        : `the schedules are: ${ids.join(', ')}`,
  });
}

function scheduleOf(id: string, settings: Settings): Schedule {
  const { enabled, cron, timezone, overlap, sessionKey, controllerId } = settings;
  return {
    id,
    enabled,
    cron,
    timezone,
    overlap,
    rhythm: JSON.stringify([cron.trim(), timezone ?? null]),
    caller: { sessionKey, controllerId, actor: { kind: 'schedule', name: id } },
    nextDue: (afterMs, count) => nextRuns(cron, timezone, afterMs, count),
    lastDue: (afterMs, untilMs) => lastRun(cron, timezone, { afterMs, untilMs }),
    make: makerOf(id, settings),
  };
}

function makerOf(id: string, { action, set, task }: Settings): FlowSchedule['make'] {
  const fill = actionTemplate({ action, set, task });
  return ({ scheduledMs, nowMs }): MadeFlow => {
    const made = fill({ schedule: id, scheduledAt: iso(scheduledMs), ranAt: iso(nowMs) });
    if (made.type === 'invalid') return { ok: false, error: made.error };
    const { action: filled } = made;
    return filled.action === 'create_flow' || filled.action === 'start_flow'
      ? { ok: true, action: filled }
      : { ok: false, error: `${filled.action} creates no flow` };
  };
}

import type { ResolvedConfig } from '../config/index.js';
import { SvcError } from '../errors/index.js';
import { actionTemplate } from '../flow-model/action-template.js';
import type { FlowRecord } from '../flow-model/flow-record.js';
import type { ScheduleRecord } from '../flow-model/schedule-record.js';
import type { FlowSchedule, Flows } from '../flows/index.js';
import { lastRun, nextRuns } from '../support/cron-times.js';
import { isFarAhead, iso } from '../support/time.js';
import type { ScheduleListOutput } from './output-schemas.js';

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
export function configuredSchedule(id: string, { schedules }: ResolvedConfig): Schedule {
  // "constructor" is a valid id.
  const settings = Object.hasOwn(schedules, id) ? schedules[id] : undefined;
  if (settings !== undefined) return scheduleOf(id, settings);
  const ids = Object.keys(schedules);
  throw new SvcError('SCHEDULE_UNKNOWN', `schedule ${JSON.stringify(id)} not found`, {
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
    make: flowMaker(id, settings),
  };
}

/**
 * When a schedule runs next, in milliseconds since the epoch; undefined if never. After the clock was set back, what was
 * run is not due again.
 */
export function nextRun(
  { nextDue }: Pick<Schedule, 'nextDue'>,
  handledMs: number | undefined,
  nowMs: number,
): number | undefined {
  const isAhead = handledMs !== undefined && handledMs > nowMs && !isFarAhead(handledMs, nowMs);
  return nextDue(isAhead ? handledMs : nowMs, 1)[0];
}

function flowMaker(id: string, { action, set, task }: Settings): FlowSchedule['make'] {
  const fill = actionTemplate({ action, set, task });
  return ({ scheduledMs, nowMs }) => {
    const result = fill({ schedule: id, scheduledAt: iso(scheduledMs), ranAt: iso(nowMs) });
    if (result.type === 'invalid') return result;
    const { action: filled } = result;
    return filled.action === 'create_flow' || filled.action === 'start_flow'
      ? { type: 'action', action: filled }
      : { type: 'invalid', error: `${filled.action} creates no flow` };
  };
}

/** Runs a schedule by hand, whenever it is due. @throws SvcError SCHEDULE_UNKNOWN, SCHEDULE_INVALID */
export async function runSchedule(
  id: string,
  config: ResolvedConfig,
  { schedules }: Pick<Flows, 'schedules'>,
): Promise<FlowRecord> {
  const outcome = await schedules.runNow(configuredSchedule(id, config));
  if (outcome.type === 'ran') return outcome.flow;
  throw invalidSchedule(id, outcome.error);
}

/** What the check of the configuration does not find, such as JSON that is nested too deeply for a flow. */
export function invalidSchedule(id: string, why: string): SvcError {
  return new SvcError('SCHEDULE_INVALID', `schedule ${id} makes no valid flow: ${why}`, {
    hint: 'check set and task of the schedule',
  });
}

/** A due time that has passed for less than this may be being handled right now. */
const PATIENCE_MS = 60_000;

/** The state of every schedule; nothing is run. */
export async function listSchedules(
  config: ResolvedConfig,
  flows: Flows,
): Promise<ScheduleListOutput['schedules']> {
  const nowMs = flows.now();
  const records = new Map(
    (await flows.schedules.records()).map((record) => [record.scheduleId, record]),
  );
  return Promise.all(
    configuredSchedules(config).map(async (schedule) => {
      const record = records.get(schedule.id);
      const { flowId } = record ?? {};
      const nextMs = schedule.enabled ? nextRun(schedule, record?.handledUntil, nowMs) : undefined;
      return {
        id: schedule.id,
        state: stateOf(schedule, record, nowMs),
        cron: schedule.cron,
        timezone: schedule.timezone ?? null,
        nextRunAt: nextMs === undefined ? null : iso(nextMs),
        lastRunAt: record?.ranAt ? iso(record.ranAt) : null,
        lastFlow: flowId
          ? { flowId, status: (await flows.operator.findFlow(flowId))?.status ?? null }
          : null,
      };
    }),
  );
}

function stateOf(schedule: Schedule, record: ScheduleRecord | undefined, nowMs: number) {
  if (!schedule.enabled) return 'disabled';
  // Before its first run it waits for a process that runs it, and one with new due times starts from then.
  if (record === undefined || record.rhythm !== schedule.rhythm) return 'waiting';
  const missed = schedule.lastDue(record.handledUntil, nowMs - PATIENCE_MS);
  return missed === undefined ? 'waiting' : 'overdue';
}

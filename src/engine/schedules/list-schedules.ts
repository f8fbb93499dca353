import type { ResolvedConfig } from '../config/index.js';
import type { Flows, ScheduleRecord } from '../flows/index.js';
import { iso } from '../support/time.js';
import { configuredSchedules, type Schedule } from './configured-schedules.js';
import type { ScheduleListOutput } from './output-schemas.js';

/** A due time that has passed for less than this may just be handled. */
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
  return await Promise.all(
    configuredSchedules(config).map(async (schedule) => {
      const record = records.get(schedule.id);
      const [nextMs] = schedule.enabled ? schedule.nextDue(nowMs, 1) : [];
      return {
        id: schedule.id,
        state: stateOf(schedule, record, nowMs),
        cron: schedule.cron,
        timezone: schedule.timezone ?? null,
        nextRunAt: nextMs === undefined ? null : iso(nextMs),
        lastRunAt: record?.ranAt ? iso(record.ranAt) : null,
        lastFlow: record?.flowId ? await flowState(record.flowId, flows) : null,
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

async function flowState(flowId: string, flows: Flows) {
  const flow = await flows.operator.findFlow(flowId);
  return { flowId, status: flow?.status ?? null };
}

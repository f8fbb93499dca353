import { isDeepStrictEqual } from 'node:util';
import type { CreateFlow, StartFlow } from '../flow-model/action-schemas.js';
import type { MadeAction } from '../flow-model/action-template.js';
import type { FlowRecord } from '../flow-model/flow-record.js';
import { OPERATOR } from '../flow-model/history-record.js';
import type { ScheduleRecord } from '../flow-model/schedule-record.js';
import { isFarAhead } from '../support/time.js';
import { addFlow, JSON_TOO_DEEP, jsonTexts } from './actions/change-flow.js';
import { runTask } from './actions/run-task.js';
import type { FlowCaller } from './flow-action.js';
import type { FlowStore, FlowTx } from './flow-store.js';
import { actingAs } from './history.js';

/** A schedule that creates flows. */
export interface FlowSchedule {
  readonly id: string;
  /** Differs whenever its due times do. */
  readonly rhythm: string;
  /** The last due time after a moment, and no later than another; epoch milliseconds. */
  readonly lastDue: (afterMs: number, untilMs: number) => number | undefined;
  /** Whether it runs while its last flow has not ended. */
  readonly overlap: 'allow' | 'skip';
  readonly caller: FlowCaller;
  readonly make: (run: ScheduledRun) => MadeAction<CreateFlow | StartFlow>;
}

/** A run of a schedule; times in milliseconds since the epoch. */
interface ScheduledRun {
  readonly scheduledMs: number;
  readonly nowMs: number;
}

/** What became of a schedule. */
export type ScheduleOutcome =
  /** Nothing was due. */
  | { readonly type: 'waits'; readonly handledUntil: number }
  | ({ readonly type: 'ran'; readonly flow: FlowRecord } & ScheduledRun)
  /** Its last flow has not ended. */
  | { readonly type: 'skipped'; readonly scheduledMs: number; readonly flow: FlowRecord }
  | { readonly type: 'invalid'; readonly error: string };

/** Runs schedules. Several processes can run the same ones: each due time leads to one flow at most. */
export function scheduleStore(store: FlowStore) {
  return {
    /** Creates a flow if any time was due since the last run, one for all of them. */
    runDue: (schedule: FlowSchedule) =>
      store.write((tx) => runDue(actingAs(tx, schedule.caller.actor), schedule), 'anything'),
    /** Creates a flow, whenever the next one is due. */
    runNow: (schedule: FlowSchedule) =>
      store.write(async (tx) => {
        // Without due times, so that nothing that was due earlier is made up for.
        const record = await recordOf(tx, { id: schedule.id, rhythm: '' });
        return runOnce(actingAs(tx, OPERATOR), schedule, record, tx.nowMs);
      }, 'anything'),
    /** Lets a schedule start from the time when it is enabled again, instead of making up what is due meanwhile. */
    turnOff: (id: string) =>
      store.write(async (tx) => {
        const record = await tx.schedules.find(id);
        if (record !== undefined && record.rhythm !== '') {
          await tx.schedules.update({ ...record, rhythm: '' });
        }
      }, 'anything'),
    records: () => store.read(({ schedules }) => schedules.all()),
  };
}

/** A new schedule starts now. */
async function recordOf(
  tx: FlowTx,
  { id, rhythm }: Pick<FlowSchedule, 'id' | 'rhythm'>,
): Promise<ScheduleRecord> {
  const known = await tx.schedules.find(id);
  if (known !== undefined) return known;
  const added: ScheduleRecord = {
    scheduleId: id,
    rhythm,
    handledUntil: tx.nowMs,
    ranAt: null,
    scheduledAt: null,
    flowId: null,
  };
  await tx.schedules.add(added);
  // Another host may have been faster.
  return (await tx.schedules.find(id)) ?? added;
}

async function runDue(tx: FlowTx, schedule: FlowSchedule): Promise<ScheduleOutcome> {
  const { nowMs } = tx;
  const before = await recordOf(tx, schedule);
  const { rhythm } = schedule;
  const record = { ...before, rhythm, handledUntil: handledBefore(before, schedule, nowMs) };
  const { handledUntil } = record;
  const scheduledMs = schedule.lastDue(handledUntil, nowMs);
  if (scheduledMs === undefined) {
    if (!isDeepStrictEqual(record, before)) await tx.schedules.update(record);
    return { type: 'waits', handledUntil };
  }
  const handled = { ...record, handledUntil: scheduledMs };
  const active = schedule.overlap === 'skip' ? await activeFlow(tx, before) : undefined;
  if (active === undefined) return runOnce(tx, schedule, handled, scheduledMs);
  await tx.schedules.update(handled);
  return { type: 'skipped', scheduledMs, flow: active };
}

/**
 * What was due so long ago still runs if the due times have changed since the last run. Without it, hosts with
 * different configurations would keep each other from running anything.
 */
const FRESH_MS = 60_000;

function handledBefore(record: ScheduleRecord, { rhythm }: FlowSchedule, nowMs: number): number {
  const until = isFarAhead(record.handledUntil, nowMs) ? nowMs : record.handledUntil;
  return record.rhythm === rhythm ? until : Math.max(until, nowMs - FRESH_MS);
}

async function activeFlow(
  { flows }: FlowTx,
  { flowId }: ScheduleRecord,
): Promise<FlowRecord | undefined> {
  const last = flowId === null ? undefined : await flows.byId(flowId);
  return last?.endedAt === null ? last : undefined;
}

async function runOnce(
  tx: FlowTx,
  schedule: FlowSchedule,
  record: ScheduleRecord,
  scheduledMs: number,
): Promise<Extract<ScheduleOutcome, { type: 'invalid' | 'ran' }>> {
  const run = { scheduledMs, nowMs: tx.nowMs };
  const made = schedule.make(run);
  if (made.type === 'invalid') return made;
  const { action } = made;
  const creates = action.action === 'start_flow' ? action.flow : action;
  const texts = jsonTexts(creates);
  if (texts === undefined) return { type: 'invalid', error: JSON_TOO_DEEP };
  const flow = await addFlow(tx, creates, schedule.caller, texts);
  if (action.action === 'start_flow') {
    // Nothing refuses a task in a new flow.
    await runTask(tx, { ...action.task, flowId: flow.flowId }, schedule.caller);
  }
  await tx.schedules.update({
    ...record,
    ranAt: tx.nowMs,
    scheduledAt: scheduledMs,
    flowId: flow.flowId,
  });
  return { type: 'ran', flow, ...run };
}

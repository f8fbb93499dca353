import { emptyFields } from '../flow-model/fields.js';
import { type FlowRecord, hasFlowEnded } from '../flow-model/flow-record.js';
import { type Actor, HISTORY_FIELDS, type HistoryEntry } from '../flow-model/history-record.js';
import { hasTaskEnded, TASK_METADATA, type TaskRecord } from '../flow-model/task-record.js';
import type { FlowTx } from './flow-store.js';

/** The same transaction, with changes made by another actor. */
export function actingAs(tx: FlowTx, actor: Actor): FlowTx {
  return { ...tx, actor };
}

const NOTE_CHARS = 500;

/** Adds an entry, which is stored at the end of the transaction. */
export function addEntry(
  { actor, nowMs, newEntries }: FlowTx,
  { note: text, ...event }: EntryDetails & Pick<HistoryEntry, 'event' | 'flowSeq'>,
): void {
  newEntries.push({
    ...EMPTY_ENTRY,
    ...event,
    at: nowMs,
    actorKind: actor.kind,
    actorName: actor.name,
    note: typeof text === 'string' ? shortNote(text) : null,
  });
}

const EMPTY_ENTRY = emptyFields(HISTORY_FIELDS);

/** As all stores keep it: without NUL, and without half of a character at the end. */
function shortNote(text: string): string {
  return text.slice(0, NOTE_CHARS).replaceAll(/\0|\p{Surrogate}/gu, '\ufffd');
}

type EntryDetails = Partial<
  Pick<HistoryEntry, 'fromStatus' | 'note' | 'revision' | 'taskId' | 'toStatus'>
>;

/**
 * Adds an entry for a changed flow. That a route created one is in the flow itself: creating many must stay cheap.
 *
 * @param before undefined for a new one
 */
export function recordFlow(tx: FlowTx, before: FlowRecord | undefined, after: FlowRecord): void {
  if (before === undefined && after.routeId !== null && after.currentStep === null) return;
  addEntry(tx, {
    flowSeq: after.seq,
    event: flowEvent(before, after),
    revision: after.revision,
    note: newText(before, after, ['blockedSummary', 'currentStep']),
    ...statusChange(before?.status, after.status),
  });
}

/** All entries of a flow: those that are stored, after its creation by a route. */
export function historyOf(
  flow: FlowRecord,
  stored: readonly HistoryEntry[],
): readonly HistoryEntry[] {
  if (flow.routeId === null || stored[0]?.event === 'flow.created') return stored;
  const first = stored.find((entry) => entry.taskId === null && entry.fromStatus !== null);
  const created: HistoryEntry = {
    ...EMPTY_ENTRY,
    flowSeq: flow.seq,
    n: 0,
    at: flow.createdAt,
    actorKind: 'route',
    actorName: flow.routeId,
    event: 'flow.created',
    toStatus: first?.fromStatus ?? flow.status,
    revision: 0,
  };
  return [created, ...stored];
}

function flowEvent(before: FlowRecord | undefined, after: FlowRecord): HistoryEntry['event'] {
  if (before === undefined) return 'flow.created';
  if (hasFlowEnded(after)) return 'flow.ended';
  const isRequest = before.cancelRequestedAt === null && after.cancelRequestedAt !== null;
  return isRequest ? 'flow.cancel_requested' : 'flow.changed';
}

/** The same for a task. A heartbeat without progress adds no entry. */
export function recordTask(tx: FlowTx, before: TaskRecord | undefined, after: TaskRecord): void {
  const event = taskEvent(before, after);
  if (event === undefined) return;
  addEntry(tx, {
    flowSeq: after.flowSeq,
    event,
    taskId: after.taskId,
    revision: after.revision,
    note: newText(before, after, ['terminalSummary', 'error', 'progressSummary']),
    ...statusChange(before?.status, after.status),
  });
}

function statusChange(
  from: HistoryEntry['fromStatus'] | undefined,
  to: HistoryEntry['toStatus'],
): EntryDetails {
  return from === to ? {} : { fromStatus: from ?? null, toStatus: to };
}

function taskEvent(
  before: TaskRecord | undefined,
  after: TaskRecord,
): HistoryEntry['event'] | undefined {
  if (before?.status !== after.status) {
    if (hasTaskEnded(after)) return 'task.ended';
    return after.status === 'queued' ? 'task.queued' : 'task.started';
  }
  if (before.cancelRequestedAt === null && after.cancelRequestedAt !== null) {
    return 'task.cancel_requested';
  }
  if (before.progressSummary !== after.progressSummary) return 'task.progress';
  const isNews = TASK_METADATA.some((name) => before[name] !== after[name]);
  return isNews ? 'task.changed' : undefined;
}

/** The first of some texts that is new. */
function newText<R extends object>(
  before: R | undefined,
  after: R,
  names: readonly { [K in keyof R]: R[K] extends string | null ? K : never }[keyof R][],
): string | null {
  for (const name of names) {
    const text = after[name];
    if (typeof text === 'string' && text !== before?.[name]) return text;
  }
  return null;
}

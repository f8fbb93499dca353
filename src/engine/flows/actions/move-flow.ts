import { type FlowRecord, isEndedStatus } from '../flow-record.js';
import { notifyOfFlow } from '../notify/notify.js';
import { type FlowMove, leadsTo, refusalOf } from '../transitions.js';
import type { Work } from '../work.js';

/** What a move may change of a flow. */
export type FlowPatch = Partial<
  Pick<
    FlowRecord,
    | 'blockedSummary'
    | 'blockedTaskId'
    | 'cancelRequestedAt'
    | 'currentStep'
    | 'stateJson'
    | 'status'
    | 'waitJson'
  >
>;

/**
 * Writes a move of a flow: the only place where a flow that exists is changed. The caller has asked
 * {@link refusalOf} before.
 */
export function moveFlow(
  work: Work,
  flow: FlowRecord,
  move: FlowMove,
  patch: FlowPatch,
): FlowRecord {
  const status = patch.status ?? flow.status;
  if (refusalOf(flow, move) !== undefined || !leadsTo(move, flow.status, status)) {
    throw new Error(`a flow that is ${flow.status} cannot ${move} to ${status}`);
  }
  const now = Math.max(work.nowMs, flow.updatedAt);
  const moved: FlowRecord = {
    ...flow,
    ...patch,
    revision: flow.revision + 1,
    updatedAt: now,
    endedAt: isEndedStatus(status) ? now : null,
  };
  work.flows.update(moved);
  work.changes.push({ type: 'flow', flow: moved });
  if (status !== flow.status) notifyOfFlow(work, moved);
  return moved;
}

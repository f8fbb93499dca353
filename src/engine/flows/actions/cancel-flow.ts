import type { CancelFlow, FlowAnswer, FlowCaller } from '../flow-action.js';
import { type FlowRecord, hasFlowEnded } from '../flow-record.js';
import { hasTaskEnded, type TaskRecord } from '../task-record.js';
import { cancelTask } from '../tasks/cancel-task.js';
import { finishCancelling } from '../tasks/end-task.js';
import { flowView, taskView } from '../views.js';
import type { Work } from '../work.js';
import { done, NOT_FOUND, NOT_FOUND_REASON, refused, terminalText } from './answers.js';
import { moveFlow } from './move-flow.js';

/** What became of a flow that was to be cancelled. */
export interface CancelResult {
  /** `pending`: a worker has not let go of a task yet; the flow ends when it does. */
  readonly state: 'cancelled' | 'ended_before' | 'pending';
  readonly flow: FlowRecord;
  readonly tasks: readonly TaskRecord[];
}

/**
 * Cancels a flow and its tasks. The intent is written down first and stays: when tasks still run, the
 * flow ends with the last of them, whatever happens in between.
 */
export function cancelFlow(work: Work, flow: FlowRecord): CancelResult {
  if (hasFlowEnded(flow)) {
    return { state: 'ended_before', flow, tasks: work.tasks.ofFlow(flow.seq) };
  }
  if (flow.cancelRequestedAt === null) {
    moveFlow(work, flow, 'request_cancel', { cancelRequestedAt: work.nowMs });
  }
  for (const task of work.tasks.ofFlow(flow.seq)) {
    if (!hasTaskEnded(task)) cancelTask(work, task);
  }
  finishCancelling(work, flow.seq);
  const after = work.flows.bySeq(flow.seq) ?? flow;
  return {
    state: hasFlowEnded(after) ? 'cancelled' : 'pending',
    flow: after,
    tasks: work.tasks.ofFlow(flow.seq),
  };
}

/** `cancel_flow`. */
export function cancelFlowAction(work: Work, action: CancelFlow, caller: FlowCaller): FlowAnswer {
  const found = work.flows.byId(action.flowId);
  if (found === undefined || found.ownerKey !== caller.sessionKey) {
    const result = { found: false, cancelled: false, reason: NOT_FOUND_REASON };
    return refused('not_found', NOT_FOUND, result);
  }
  const { state, flow, tasks } = cancelFlow(work, found);
  const seen = { flow: flowView(flow), tasks: tasks.map(taskView) };
  switch (state) {
    case 'cancelled':
      return done({ found: true, cancelled: true, ...seen });
    case 'ended_before': {
      const reason = terminalText(flow);
      return refused('terminal', reason, { found: true, cancelled: false, reason, ...seen });
    }
    case 'pending': {
      const reason = 'One or more child tasks are still active.';
      const result = { found: true, cancelled: false, reason, ...seen };
      return { ok: true, code: 'cancel_pending', result };
    }
  }
}

import type { CancelFlow } from '../../flow-model/action-schemas.js';
import { type FlowRecord, flowView, hasFlowEnded } from '../../flow-model/flow-record.js';
import { hasTaskEnded, type TaskRecord, taskView } from '../../flow-model/task-record.js';
import {
  done,
  type FlowAnswer,
  type FlowCaller,
  NOT_FOUND,
  NOT_FOUND_REASON,
  refused,
  terminalText,
} from '../flow-action.js';
import { moveFlow } from '../flow-moves.js';
import type { Work } from '../flow-store.js';
import { cancelTask, finishCancelling } from '../tasks/change-task.js';

interface CancelResult {
  /** `pending`: a worker still holds a task; the flow ends when it releases it. */
  readonly state: 'cancelled' | 'ended_before' | 'pending';
  readonly flow: FlowRecord;
  readonly tasks: readonly TaskRecord[];
}

/**
 * Cancels a flow and its tasks. The request is recorded first: when tasks still run, the flow ends with the
 * last of them, whatever happens in between.
 */
export async function cancelFlow(work: Work, flow: FlowRecord): Promise<CancelResult> {
  if (hasFlowEnded(flow)) {
    return { state: 'ended_before', flow, tasks: await work.tasks.ofFlow(flow.seq) };
  }
  if (flow.cancelRequestedAt === null) {
    await moveFlow(work, flow, 'request_cancel', { cancelRequestedAt: work.nowMs });
  }
  for (const task of await work.tasks.ofFlow(flow.seq)) {
    if (!hasTaskEnded(task)) await cancelTask(work, task);
  }
  await finishCancelling(work, flow.seq);
  const after = (await work.flows.bySeq(flow.seq)) ?? flow;
  return {
    state: hasFlowEnded(after) ? 'cancelled' : 'pending',
    flow: after,
    tasks: await work.tasks.ofFlow(flow.seq),
  };
}

/** `cancel_flow`. */
export async function cancelFlowAction(
  work: Work,
  action: CancelFlow,
  caller: FlowCaller,
): Promise<FlowAnswer> {
  const found = await work.flows.byId(action.flowId);
  if (found === undefined || found.ownerKey !== caller.sessionKey) {
    const result = { found: false, cancelled: false, reason: NOT_FOUND_REASON };
    return refused('not_found', NOT_FOUND, result);
  }
  const { state, flow, tasks } = await cancelFlow(work, found);
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

import type { FlowAnswer, FlowCaller, FlowChange, Idempotency } from '../flow-action.js';
import type { Work } from '../work.js';
import { refused } from './answers.js';
import { cancelFlowAction } from './cancel-flow.js';
import { createFlow } from './create-flow.js';
import type { JsonTexts } from './json-fields.js';
import { mutateFlow } from './mutate-flow.js';
import { runTask } from './run-task.js';

/** Does an action that changes something, inside a transaction. */
export function changeFlows(
  work: Work,
  action: FlowChange,
  caller: FlowCaller,
  texts: JsonTexts,
): FlowAnswer {
  switch (action.action) {
    case 'create_flow':
      return createFlow(work, action, caller, texts);
    case 'run_task':
      return runTask(work, action, caller);
    case 'cancel_flow':
      return cancelFlowAction(work, action, caller);
    default:
      return mutateFlow(work, action, caller, texts);
  }
}

/**
 * The same for a request that may come again: its first answer is kept in the same transaction as the
 * change, whatever the answer is, and given to whoever repeats it.
 */
export function changeOnce(
  work: Work,
  action: FlowChange,
  caller: FlowCaller,
  idempotency: Idempotency,
  change: () => FlowAnswer,
): FlowAnswer {
  const key = { ownerKey: caller.sessionKey, action: action.action, key: idempotency.key };
  const kept = work.answers.find(key, work.nowMs);
  if (kept === undefined) {
    const answer = change();
    const { bodyHash } = idempotency;
    const expiresAt = work.nowMs + work.policy.idempotencyMs;
    work.answers.keep(key, { bodyHash, answer: JSON.stringify(answer) }, expiresAt);
    return answer;
  }
  if (kept.bodyHash !== idempotency.bodyHash) {
    return refused('idempotency_mismatch', 'The idempotency key was used for another request.', {});
  }
  const answer: FlowAnswer = JSON.parse(kept.answer);
  return answer;
}

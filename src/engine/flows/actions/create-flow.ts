import type { CreateFlow, FlowAnswer, FlowCaller } from '../flow-action.js';
import { newFlowId } from '../ids.js';
import { notifyOfFlow } from '../notify/notify.js';
import { flowView } from '../views.js';
import type { Work } from '../work.js';
import { done } from './answers.js';
import type { JsonTexts } from './json-fields.js';

/** `create_flow`. */
export function createFlow(
  work: Work,
  action: CreateFlow,
  caller: FlowCaller,
  texts: JsonTexts,
): FlowAnswer {
  const flow = work.flows.insert({
    flowId: newFlowId(work.nowMs),
    ownerKey: caller.sessionKey,
    syncMode: 'managed',
    controllerId: action.controllerId ?? caller.controllerId,
    revision: 0,
    status: action.status ?? 'queued',
    notifyPolicy: action.notifyPolicy ?? 'done_only',
    goal: action.goal,
    currentStep: action.currentStep ?? null,
    blockedTaskId: null,
    blockedSummary: null,
    stateJson: texts.state ?? null,
    waitJson: texts.wait ?? null,
    cancelRequestedAt: null,
    createdAt: work.nowMs,
    updatedAt: work.nowMs,
    endedAt: null,
  });
  work.changes.push({ type: 'flow', flow });
  notifyOfFlow(work, flow);
  return done({ created: true, flow: flowView(flow) });
}

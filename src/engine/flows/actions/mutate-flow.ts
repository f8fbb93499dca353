import type { FlowAnswer, FlowCaller, FlowMutation, SetWaiting } from '../flow-action.js';
import type { FlowRecord } from '../flow-record.js';
import { type FlowMove, refusalOf } from '../transitions.js';
import { flowView } from '../views.js';
import type { Work } from '../work.js';
import { CANCEL_REQUESTED, done, NOT_FOUND, refused, terminalText } from './answers.js';
import type { JsonTexts } from './json-fields.js';
import { type FlowPatch, moveFlow } from './move-flow.js';

const MOVES: Readonly<Record<FlowMutation['action'], FlowMove>> = {
  set_waiting: 'set_waiting',
  resume_flow: 'resume',
  finish_flow: 'finish',
  fail_flow: 'fail',
  request_cancel: 'request_cancel',
};

/**
 * A change guarded by a revision. Looked at in this order: whether the flow is there and the
 * caller's, whether it is driven by controllers, whether it has ended, whether it can only end, and
 * whether the caller has seen its latest revision.
 */
export function mutateFlow(
  work: Work,
  action: FlowMutation,
  caller: FlowCaller,
  texts: JsonTexts,
): FlowAnswer {
  const flow = work.flows.byId(action.flowId);
  if (flow === undefined || flow.ownerKey !== caller.sessionKey) {
    return refused('not_found', NOT_FOUND, { applied: false, code: 'not_found' });
  }
  const refuse = (code: Refusal, error: string): FlowAnswer =>
    refused(code, error, { applied: false, code, current: flowView(flow) });
  if (flow.syncMode !== 'managed') {
    return refuse('not_managed', 'TaskFlow is not managed by this webhook surface.');
  }
  const move = MOVES[action.action];
  const refusal = refusalOf(flow, move);
  if (refusal === 'terminal') return refuse(refusal, terminalText(flow));
  if (refusal === 'cancel_requested') return refuse(refusal, CANCEL_REQUESTED);
  if (flow.revision !== action.expectedRevision) {
    return refuse('revision_conflict', "TaskFlow changed since the caller's expected revision.");
  }
  const moved = moveFlow(work, flow, move, patchOf(work, flow, action, texts));
  return done({ applied: true, flow: flowView(moved) });
}

type Refusal = 'cancel_requested' | 'not_managed' | 'revision_conflict' | 'terminal';

const NOTHING_WAITED_FOR = { blockedTaskId: null, blockedSummary: null, waitJson: null } as const;

function patchOf(work: Work, flow: FlowRecord, action: FlowMutation, texts: JsonTexts): FlowPatch {
  const stateJson = texts.state ?? flow.stateJson;
  switch (action.action) {
    case 'set_waiting':
      return waitingPatch(flow, action, texts);
    case 'resume_flow':
      return {
        ...NOTHING_WAITED_FOR,
        status: action.status ?? 'queued',
        currentStep: kept(action.currentStep, flow.currentStep),
        stateJson,
      };
    case 'finish_flow':
      return { ...NOTHING_WAITED_FOR, status: 'succeeded', stateJson };
    case 'fail_flow':
      return {
        status: 'failed',
        stateJson,
        waitJson: null,
        blockedTaskId: kept(action.blockedTaskId, flow.blockedTaskId),
        blockedSummary: kept(action.blockedSummary, flow.blockedSummary),
      };
    case 'request_cancel':
      // The first request counts: from it on it is known how long the end takes.
      return { cancelRequestedAt: flow.cancelRequestedAt ?? work.nowMs };
  }
}

/** Blocked by what this call names. What blocked the flow before is not what it waits for now. */
function waitingPatch(flow: FlowRecord, action: SetWaiting, texts: JsonTexts): FlowPatch {
  const isBlocked = Boolean(action.blockedTaskId) || Boolean(action.blockedSummary);
  return {
    status: isBlocked ? 'blocked' : 'waiting',
    currentStep: kept(action.currentStep, flow.currentStep),
    stateJson: texts.state ?? flow.stateJson,
    waitJson: texts.wait ?? flow.waitJson,
    blockedTaskId: isBlocked ? kept(action.blockedTaskId, flow.blockedTaskId) : null,
    blockedSummary: isBlocked ? kept(action.blockedSummary, flow.blockedSummary) : null,
  };
}

/** Absent keeps what is there, null clears it. */
function kept(given: string | null | undefined, before: string | null): string | null {
  return given === undefined ? before : given;
}

import type {
  CancelFlow,
  CreateFlow,
  FlowMutation,
  SetWaiting,
} from '../../flow-model/action-schemas.js';
import { type JsonValue, toJsonText } from '../../flow-model/fields.js';
import {
  EMPTY_FLOW,
  type FlowRecord,
  flowView,
  hasFlowEnded,
} from '../../flow-model/flow-record.js';
import { newFlowId } from '../../flow-model/ids.js';
import { hasTaskEnded, taskView } from '../../flow-model/task-record.js';
import {
  CANCEL_REQUESTED,
  done,
  type FlowAnswer,
  type FlowCaller,
  NOT_FOUND,
  NOT_FOUND_REASON,
  refused,
  terminalText,
} from '../flow-action.js';
import { type FlowPatch, moveFlow, refusalOf } from '../flow-moves.js';
import type { Work } from '../flow-store.js';
import { noteFlow } from '../history.js';
import { notifyOfFlow } from '../notify.js';
import { cancelTask, finishCancelling } from '../tasks/change-task.js';

/**
 * A change guarded by a revision. Checked in this order: the flow exists and belongs to the caller, is
 * driven by controllers, has not ended, is not being cancelled, and has the revision the caller saw.
 */
export async function mutateFlow(
  work: Work,
  action: FlowMutation,
  caller: FlowCaller,
  texts: JsonTexts,
): Promise<FlowAnswer> {
  const flow = await work.flows.byId(action.flowId);
  if (flow === undefined || flow.ownerKey !== caller.sessionKey) {
    return refused('not_found', NOT_FOUND, { applied: false, code: 'not_found' });
  }
  const refuse = (code: Refusal, error: string): FlowAnswer =>
    refused(code, error, { applied: false, code, current: flowView(flow) });
  if (flow.syncMode !== 'managed') {
    return refuse('not_managed', 'TaskFlow is not managed by this webhook surface.');
  }
  const refusal = refusalOf(flow, action.action);
  if (refusal === 'terminal') return refuse(refusal, terminalText(flow));
  if (refusal === 'cancel_requested') return refuse(refusal, CANCEL_REQUESTED);
  if (flow.revision !== action.expectedRevision) {
    return refuse('revision_conflict', "TaskFlow changed since the caller's expected revision.");
  }
  const moved = await moveFlow(work, flow, patchOf(work, flow, action, texts));
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
      // The grace period runs from the first request.
      return { cancelRequestedAt: flow.cancelRequestedAt ?? work.nowMs };
  }
}

/** Only this call says what blocks the flow: what blocked it before may be over. */
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

function kept(given: string | null | undefined, before: string | null): string | null {
  return given === undefined ? before : given;
}

/** `create_flow`. */
export async function createFlow(
  work: Work,
  action: CreateFlow,
  caller: FlowCaller,
  texts: JsonTexts,
): Promise<FlowAnswer> {
  return done({ created: true, flow: flowView(await addFlow(work, action, caller, texts)) });
}

/** The new flow of a `create_flow`. */
export async function addFlow(
  work: Work,
  action: CreateFlow,
  caller: FlowCaller,
  texts: JsonTexts,
): Promise<FlowRecord> {
  const flow = await work.flows.insert(
    // Ten times as fast as spreading.
    Object.assign({}, EMPTY_FLOW, {
      flowId: newFlowId(work.nowMs),
      ownerKey: caller.sessionKey,
      syncMode: 'managed',
      controllerId: action.controllerId ?? caller.controllerId,
      routeId: caller.actor.kind === 'route' ? caller.actor.name : null,
      revision: 0,
      status: action.status ?? 'queued',
      notifyPolicy: action.notifyPolicy ?? 'done_only',
      goal: action.goal,
      currentStep: action.currentStep ?? null,
      stateJson: texts.state ?? null,
      waitJson: texts.wait ?? null,
      createdAt: work.nowMs,
      updatedAt: work.nowMs,
    }),
  );
  work.changes.push({ type: 'flow', flow });
  noteFlow(work, undefined, flow);
  await notifyOfFlow(work, flow);
  return flow;
}

/** The JSON fields of an action as text; undefined where the action has none. */
export interface JsonTexts {
  readonly state: string | undefined;
  readonly wait: string | undefined;
}

/** Serialized before any transaction; undefined if one is nested too deeply. */
export function jsonTexts(action: {
  readonly action: string;
  readonly stateJson?: JsonValue;
  readonly waitJson?: JsonValue;
}): JsonTexts | undefined {
  const { stateJson, waitJson } = action;
  const state = stateJson === undefined ? undefined : toJsonText(stateJson);
  const wait = waitJson === undefined ? undefined : toJsonText(waitJson);
  const isWhole =
    (stateJson === undefined) === (state === undefined) &&
    (waitJson === undefined) === (wait === undefined);
  return isWhole ? { state, wait } : undefined;
}

/**
 * Cancels a flow and its tasks. The request is recorded first: when tasks still run, the flow ends with the
 * last of them, whatever happens in between.
 */
export async function cancelFlow(work: Work, flow: FlowRecord) {
  if (hasFlowEnded(flow)) {
    return { state: 'ended_before' as const, flow, tasks: await work.tasks.ofFlow(flow.seq) };
  }
  if (flow.cancelRequestedAt === null) {
    await moveFlow(work, flow, { cancelRequestedAt: work.nowMs });
  }
  for (const task of await work.tasks.ofFlow(flow.seq)) {
    if (!hasTaskEnded(task)) await cancelTask(work, task);
  }
  await finishCancelling(work, flow.seq);
  const after = (await work.flows.bySeq(flow.seq)) ?? flow;
  return {
    /** `pending`: a worker still holds a task; the flow ends when it releases it. */
    state: hasFlowEnded(after) ? ('cancelled' as const) : ('pending' as const),
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

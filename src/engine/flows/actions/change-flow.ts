import type {
  CancelFlow,
  CreateFlow,
  FlowMutation,
  SetWaiting,
} from '../../flow-model/action-schemas.js';
import type { JsonValue } from '../../flow-model/fields.js';
import {
  EMPTY_FLOW,
  type FlowRecord,
  flowView,
  hasFlowEnded,
} from '../../flow-model/flow-record.js';
import { newFlowId } from '../../flow-model/ids.js';
import { taskView } from '../../flow-model/task-record.js';
import { isTooDeep } from '../../support/json-fault.js';
import {
  CANCEL_REQUESTED,
  done,
  type FlowAnswer,
  type FlowCaller,
  type FlowRejection,
  NOT_FOUND,
  NOT_FOUND_REASON,
  refused,
  terminalText,
} from '../flow-action.js';
import { type FlowPatch, moveFlow, NOTHING_WAITED_FOR } from '../flow-moves.js';
import type { FlowTx } from '../flow-store.js';
import { recordFlow } from '../history.js';
import { notifyOfFlow } from '../notify.js';
import { cancelTasks } from '../tasks/change-task.js';

/**
 * A change guarded by a revision. Checked in this order: the flow exists and belongs to the caller, is
 * driven by controllers, has not ended, is not being cancelled, and has the revision the caller saw.
 */
export async function mutateFlow(
  tx: FlowTx,
  action: FlowMutation,
  caller: FlowCaller,
  texts: JsonTexts,
): Promise<FlowAnswer> {
  const flow = await tx.flows.byId(action.flowId);
  if (flow === undefined || flow.ownerKey !== caller.sessionKey) {
    return refused('not_found', NOT_FOUND, { applied: false, code: 'not_found' });
  }
  const refuse = (code: FlowRejection, error: string): FlowAnswer =>
    refused(code, error, { applied: false, code, current: flowView(flow) });
  if (flow.syncMode !== 'managed') {
    return refuse('not_managed', 'TaskFlow is not managed by this webhook surface.');
  }
  if (hasFlowEnded(flow)) return refuse('terminal', terminalText(flow));
  if (flow.cancelRequestedAt !== null && CONTINUES.has(action.action)) {
    return refuse('cancel_requested', CANCEL_REQUESTED);
  }
  if (flow.revision !== action.expectedRevision) {
    return refuse('revision_conflict', "TaskFlow changed since the caller's expected revision.");
  }
  const moved = await moveFlow(tx, flow, patchOf(tx, flow, action, texts));
  return done({ applied: true, flow: flowView(moved) });
}

/** From the request of its cancellation on, a flow can only end. */
const CONTINUES: ReadonlySet<FlowMutation['action']> = new Set(['set_waiting', 'resume_flow']);

function patchOf(tx: FlowTx, flow: FlowRecord, action: FlowMutation, texts: JsonTexts): FlowPatch {
  const stateJson = texts.state ?? flow.stateJson;
  switch (action.action) {
    case 'set_waiting':
      return waitingPatch(flow, action, texts);
    case 'resume_flow':
      return {
        ...NOTHING_WAITED_FOR,
        status: action.status ?? 'queued',
        currentStep: valueOr(action.currentStep, flow.currentStep),
        stateJson,
      };
    case 'finish_flow':
      return { ...NOTHING_WAITED_FOR, status: 'succeeded', stateJson };
    case 'fail_flow':
      return {
        status: 'failed',
        stateJson,
        waitJson: null,
        blockedTaskId: valueOr(action.blockedTaskId, flow.blockedTaskId),
        blockedSummary: valueOr(action.blockedSummary, flow.blockedSummary),
      };
    case 'request_cancel':
      // The grace period runs from the first request.
      return { cancelRequestedAt: flow.cancelRequestedAt ?? tx.nowMs };
  }
}

/** Only this call says what blocks the flow: what blocked it before may be over. */
function waitingPatch(flow: FlowRecord, action: SetWaiting, texts: JsonTexts): FlowPatch {
  const isBlocked = Boolean(action.blockedTaskId) || Boolean(action.blockedSummary);
  return {
    status: isBlocked ? 'blocked' : 'waiting',
    currentStep: valueOr(action.currentStep, flow.currentStep),
    stateJson: texts.state ?? flow.stateJson,
    waitJson: texts.wait ?? flow.waitJson,
    blockedTaskId: isBlocked ? valueOr(action.blockedTaskId, flow.blockedTaskId) : null,
    blockedSummary: isBlocked ? valueOr(action.blockedSummary, flow.blockedSummary) : null,
  };
}

function valueOr(value: string | null | undefined, before: string | null): string | null {
  return value === undefined ? before : value;
}

/** `create_flow`. */
export async function createFlow(
  tx: FlowTx,
  action: CreateFlow,
  caller: FlowCaller,
  texts: JsonTexts,
): Promise<FlowAnswer> {
  return done({ created: true, flow: flowView(await addFlow(tx, action, caller, texts)) });
}

/** The new flow of a `create_flow`. */
export async function addFlow(
  tx: FlowTx,
  action: CreateFlow,
  caller: FlowCaller,
  texts: JsonTexts,
): Promise<FlowRecord> {
  const flow = await tx.flows.insert(
    // Ten times as fast as spreading.
    Object.assign({}, EMPTY_FLOW, {
      flowId: newFlowId(tx.nowMs),
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
      createdAt: tx.nowMs,
      updatedAt: tx.nowMs,
    }),
  );
  tx.changes.push({ type: 'flow' });
  recordFlow(tx, undefined, flow);
  await notifyOfFlow(tx, flow);
  return flow;
}

/** The JSON fields of an action as text; undefined where the action has none. */
export interface JsonTexts {
  readonly state: string | undefined;
  readonly wait: string | undefined;
}

/** Why {@link jsonTexts} returned none. */
export const JSON_TOO_DEEP = 'stateJson or waitJson is nested too deeply';

/** Serialized before any transaction; undefined if one is nested too deeply. */
export function jsonTexts(action: {
  readonly action: string;
  readonly stateJson?: JsonValue;
  readonly waitJson?: JsonValue;
}): JsonTexts | undefined {
  const { stateJson, waitJson } = action;
  if (isTooDeep(stateJson) || isTooDeep(waitJson)) return undefined;
  return { state: JSON.stringify(stateJson), wait: JSON.stringify(waitJson) };
}

/**
 * Cancels a flow and its tasks. The request is recorded first: when tasks still run, the flow ends with the
 * last of them, whatever happens in between.
 */
export async function cancelFlow(tx: FlowTx, flow: FlowRecord) {
  if (hasFlowEnded(flow)) {
    return { state: 'ended_before' as const, flow, tasks: await tx.tasks.ofFlow(flow.seq) };
  }
  if (flow.cancelRequestedAt === null) {
    await moveFlow(tx, flow, { cancelRequestedAt: tx.nowMs });
  }
  await cancelTasks(tx, flow.seq);
  const after = (await tx.flows.bySeq(flow.seq)) ?? flow;
  return {
    /** `pending`: a worker still holds a task; the flow ends when it releases it. */
    state: hasFlowEnded(after) ? ('cancelled' as const) : ('pending' as const),
    flow: after,
    tasks: await tx.tasks.ofFlow(flow.seq),
  };
}

/** `cancel_flow`. */
export async function cancelFlowAction(
  tx: FlowTx,
  action: CancelFlow,
  caller: FlowCaller,
): Promise<FlowAnswer> {
  const found = await tx.flows.byId(action.flowId);
  if (found === undefined || found.ownerKey !== caller.sessionKey) {
    const result = { found: false, cancelled: false, reason: NOT_FOUND_REASON };
    return refused('not_found', NOT_FOUND, result);
  }
  const { state, flow, tasks } = await cancelFlow(tx, found);
  const views = { flow: flowView(flow), tasks: tasks.map(taskView) };
  switch (state) {
    case 'cancelled':
      return done({ found: true, cancelled: true, ...views });
    case 'ended_before': {
      const reason = terminalText(flow);
      return refused('terminal', reason, { found: true, cancelled: false, reason, ...views });
    }
    case 'pending': {
      const reason = 'One or more child tasks are still active.';
      const result = { found: true, cancelled: false, reason, ...views };
      return { ok: true, code: 'cancel_pending', result };
    }
  }
}

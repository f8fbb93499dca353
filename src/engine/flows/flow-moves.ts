import { type FlowRecord, type FlowStatus, hasFlowEnded } from '../flow-model/flow-record.js';
import type { Work } from './flow-store.js';
import { noteFlow } from './history.js';
import { notifyOfFlow } from './notify.js';

interface MoveRule {
  /** The states it can lead to; `same` keeps the state. */
  readonly to: readonly (FlowStatus | 'same')[];
  /** Whether it is still allowed after cancellation was requested. */
  readonly afterCancelRequest: boolean;
}

/**
 * The whole state machine of a flow, as drawn in docs/flows.md. Every move can start from each of the four
 * active states and from none of the ended ones.
 */
const MOVES = {
  set_waiting: { to: ['waiting', 'blocked'], afterCancelRequest: false },
  resume: { to: ['queued', 'running'], afterCancelRequest: false },
  run_task: { to: ['same'], afterCancelRequest: false },
  request_cancel: { to: ['same'], afterCancelRequest: true },
  finish: { to: ['succeeded'], afterCancelRequest: true },
  fail: { to: ['failed'], afterCancelRequest: true },
  cancel: { to: ['same', 'cancelled'], afterCancelRequest: true },
} as const satisfies Readonly<Record<string, MoveRule>>;

export type FlowMove = keyof typeof MOVES;

/** What a move can change in a flow. */
export type FlowPatch = Partial<
  Omit<
    FlowRecord,
    'createdAt' | 'endedAt' | 'flowId' | 'ownerKey' | 'revision' | 'seq' | 'updatedAt'
  >
>;

/**
 * Writes a move of a flow: the only place that changes an existing flow. The caller has checked
 * {@link refusalOf}.
 */
export async function moveFlow(
  work: Work,
  flow: FlowRecord,
  move: FlowMove,
  patch: FlowPatch,
): Promise<FlowRecord> {
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
    endedAt: hasFlowEnded({ status }) ? now : null,
  };
  await work.flows.update(moved);
  work.changes.push({ type: 'flow', flow: moved });
  noteFlow(work, flow, moved);
  if (status !== flow.status) await notifyOfFlow(work, moved);
  return moved;
}

/** Why a move is not allowed in a flow's state; undefined if it is. */
export function refusalOf(
  flow: Pick<FlowRecord, 'status' | 'cancelRequestedAt'>,
  move: FlowMove,
): 'cancel_requested' | 'terminal' | undefined {
  if (hasFlowEnded(flow)) return 'terminal';
  if (flow.cancelRequestedAt === null || MOVES[move].afterCancelRequest) return undefined;
  return 'cancel_requested';
}

function leadsTo(move: FlowMove, from: FlowStatus, to: FlowStatus): boolean {
  const { to: allowed }: MoveRule = MOVES[move];
  return allowed.includes(from === to && allowed.includes('same') ? 'same' : to);
}

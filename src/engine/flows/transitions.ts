import { type FlowRecord, type FlowStatus, hasFlowEnded } from './flow-record.js';

/** What can happen to a flow. */
export type FlowMove =
  | 'set_waiting'
  | 'resume'
  | 'finish'
  | 'fail'
  | 'request_cancel'
  | 'cancel'
  | 'run_task';

interface MoveRule {
  /** The states it may lead to; `same` leaves the state as it is. */
  readonly to: readonly (FlowStatus | 'same')[];
  /** Whether it is still allowed once somebody asked for the flow to be cancelled. */
  readonly afterCancelRequest: boolean;
}

/**
 * The whole state machine of a flow; docs/flows.md draws it. Every move may start from each of the
 * four active states and from none of the ended ones: what has ended stays so.
 */
const MOVES: Readonly<Record<FlowMove, MoveRule>> = {
  set_waiting: { to: ['waiting', 'blocked'], afterCancelRequest: false },
  resume: { to: ['queued', 'running'], afterCancelRequest: false },
  run_task: { to: ['same'], afterCancelRequest: false },
  request_cancel: { to: ['same'], afterCancelRequest: true },
  finish: { to: ['succeeded'], afterCancelRequest: true },
  fail: { to: ['failed'], afterCancelRequest: true },
  cancel: { to: ['same', 'cancelled'], afterCancelRequest: true },
};

/** Why a move is not allowed in a flow's present state; undefined when it is. */
export function refusalOf(
  flow: Pick<FlowRecord, 'status' | 'cancelRequestedAt'>,
  move: FlowMove,
): 'cancel_requested' | 'terminal' | undefined {
  if (hasFlowEnded(flow)) return 'terminal';
  if (flow.cancelRequestedAt === null || MOVES[move].afterCancelRequest) return undefined;
  return 'cancel_requested';
}

/** Whether a move that is allowed leads from one state to another. */
export function leadsTo(move: FlowMove, from: FlowStatus, to: FlowStatus): boolean {
  return MOVES[move].to.includes(from === to && MOVES[move].to.includes('same') ? 'same' : to);
}

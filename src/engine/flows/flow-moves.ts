import type { FlowMutation } from '../flow-model/action-schemas.js';
import { type FlowRecord, hasFlowEnded } from '../flow-model/flow-record.js';
import type { FlowTx } from './flow-store.js';
import { recordFlow } from './history.js';
import { notifyOfFlow } from './notify.js';

/** What can happen to a flow, as drawn in docs/flows.md: in each of its four active states, and in none of the ended ones. */
type FlowMove = FlowMutation['action'] | 'run_task';

/** What is no longer allowed after cancellation was requested: from then on a flow can only end. */
const CONTINUES: ReadonlySet<FlowMove> = new Set(['set_waiting', 'resume_flow', 'run_task']);

/** What a move can change in a flow. */
export type FlowPatch = Partial<
  Omit<
    FlowRecord,
    'createdAt' | 'endedAt' | 'flowId' | 'ownerKey' | 'revision' | 'seq' | 'updatedAt'
  >
>;

/**
 * Writes a change of a flow: the only place that changes an existing one. The caller has checked {@link refusalOf}.
 */
export async function moveFlow(
  tx: FlowTx,
  flow: FlowRecord,
  patch: FlowPatch,
): Promise<FlowRecord> {
  const status = patch.status ?? flow.status;
  const now = Math.max(tx.nowMs, flow.updatedAt);
  const moved: FlowRecord = {
    ...flow,
    ...patch,
    revision: flow.revision + 1,
    updatedAt: now,
    endedAt: hasFlowEnded({ status }) ? now : null,
  };
  await tx.flows.update(moved);
  tx.changes.push({ type: 'flow', flow: moved });
  recordFlow(tx, flow, moved);
  if (status !== flow.status) await notifyOfFlow(tx, moved);
  return moved;
}

/** Why a move is not allowed in a flow's state; undefined if it is. */
export function refusalOf(
  flow: Pick<FlowRecord, 'status' | 'cancelRequestedAt'>,
  move: FlowMove,
): 'cancel_requested' | 'terminal' | undefined {
  if (hasFlowEnded(flow)) return 'terminal';
  return flow.cancelRequestedAt !== null && CONTINUES.has(move) ? 'cancel_requested' : undefined;
}

import { type FlowRecord, hasFlowEnded } from '../flow-model/flow-record.js';
import type { FlowTx } from './flow-store.js';
import { recordFlow } from './history.js';
import { notifyOfFlow } from './notify.js';

/** What a move can change in a flow. */
export type FlowPatch = Partial<
  Omit<
    FlowRecord,
    'createdAt' | 'endedAt' | 'flowId' | 'ownerKey' | 'revision' | 'seq' | 'updatedAt'
  >
>;

export const NOTHING_WAITED_FOR = {
  waitJson: null,
  blockedTaskId: null,
  blockedSummary: null,
} as const;

/** Writes a change of a flow that has not ended: the only place that changes an existing one. */
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
  tx.changes.push({ type: 'flow' });
  recordFlow(tx, flow, moved);
  if (status !== flow.status) await notifyOfFlow(tx, moved);
  return moved;
}

import { FLOW_FIELDS, type FlowRecord } from '../../flow-record.js';
import type { FlowFilter, FlowRows } from '../../flow-store.js';
import { type FlowTrouble, flowTroubles } from '../troubles.js';
import type { Turn } from './batch.js';
import { FoundTable, foundTable } from './found-table.js';
import { lockIn, oneFor, selected, TABLES } from './record-sql.js';

const COLUMNS = selected('svc.flows', FLOW_FIELDS);
const SQL = foundTable<FlowRecord>('svc.flows', FLOW_FIELDS);

/** Locked in one order by all hosts. */
const byId = oneFor<string, FlowRecord>(
  (batch) =>
    `SELECT ${COLUMNS} FROM svc.flows WHERE id = ANY($1) ORDER BY seq ${lockIn(batch, 'svc.flows')}`,
  ({ flowId }) => flowId,
);
const bySeq = oneFor<number, FlowRecord>(
  () => `SELECT ${COLUMNS} FROM svc.flows WHERE seq = ANY($1::bigint[])`,
  ({ seq }) => seq,
);

const HAS_ACTIVE_TASK = `EXISTS (SELECT 1 FROM svc.tasks
  WHERE flow_seq = svc.flows.seq AND svc.tasks.status IN ('queued', 'running'))`;

/** The table of flows. What is found by its id is locked until the end of the transaction. */
export class FlowTable extends FoundTable<FlowRecord, FlowFilter> implements FlowRows {
  constructor(turn: Turn) {
    super(turn, SQL);
  }

  async byId(id: string): Promise<FlowRecord | undefined> {
    await this.turn.take('flow', id);
    return this.turn.batch.ask(byId, id);
  }

  bySeq(seq: number): Promise<FlowRecord | undefined> {
    return this.turn.batch.ask(bySeq, seq);
  }

  async latestOf(ownerKey: string): Promise<FlowRecord | undefined> {
    const [latest] = await this.newestOf(ownerKey, Number.MAX_SAFE_INTEGER, 1);
    return latest;
  }

  newestOf(ownerKey: string, beforeSeq: number, limit: number): Promise<readonly FlowRecord[]> {
    return this.turn.batch.query<FlowRecord>(
      `SELECT ${COLUMNS} FROM svc.flows WHERE owner_key = $1 AND seq < $2
       ORDER BY seq DESC LIMIT $3`,
      [ownerKey, beforeSeq, limit],
    );
  }

  cancelledWithoutTasks(beforeMs: number, limit: number): Promise<readonly FlowRecord[]> {
    return this.turn.batch.query<FlowRecord>(
      `SELECT ${COLUMNS} FROM svc.flows
       WHERE cancel_requested_at < $1 AND ended_at IS NULL AND NOT ${HAS_ACTIVE_TASK}
       LIMIT $2 FOR UPDATE OF flows SKIP LOCKED`,
      [beforeMs, limit],
    );
  }

  async prune(beforeMs: number, limit: number) {
    const [gone] = await this.turn.batch.query<{ flows: number; tasks: number }>(
      `WITH gone AS (
         SELECT seq FROM svc.flows WHERE ended_at < $1 AND NOT ${HAS_ACTIVE_TASK}
         LIMIT $2 FOR UPDATE OF flows SKIP LOCKED),
       gone_tasks AS (DELETE FROM svc.tasks USING gone WHERE flow_seq = gone.seq RETURNING 1),
       gone_history AS (DELETE FROM svc.history USING gone WHERE flow_seq = gone.seq),
       gone_flows AS (DELETE FROM svc.flows USING gone WHERE svc.flows.seq = gone.seq RETURNING 1)
       SELECT (SELECT count(*)::int FROM gone_flows) AS flows,
         (SELECT count(*)::int FROM gone_tasks) AS tasks`,
      [beforeMs, limit],
    );
    return gone ?? { flows: 0, tasks: 0 };
  }

  troubled(trouble: FlowTrouble, beforeMs: number, limit: number): Promise<readonly FlowRecord[]> {
    return this.turn.batch.query<FlowRecord>(
      `SELECT ${COLUMNS} FROM svc.flows
       WHERE (${flowTroubles(TABLES, '$1')[trouble]}) AND $1::bigint IS NOT NULL LIMIT $2`,
      [beforeMs, limit],
    );
  }

  protected idOf({ flowId }: FlowRecord): string {
    return flowId;
  }
}

import { columnsOf } from '../../../flow-model/fields.js';
import { FLOW_FIELDS, type FlowRecord } from '../../../flow-model/flow-record.js';
import {
  HISTORY_FIELDS,
  type HistoryEntry,
  type NewHistoryEntry,
} from '../../../flow-model/history-record.js';
import type { FlowFilter, FlowRows, HistoryRows } from '../../flow-store.js';
import { FIRST_KEPT, MOST_KEPT } from '../../history.js';
import { type FlowTrouble, flowTroubles } from '../troubles.js';
import type { Batch, Turn } from './batch.js';
import { FoundTable, foundTable } from './found-table.js';
import { givenRows, lockIn, oneFor, selected, toJson } from './record-sql.js';

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
       WHERE (${flowTroubles('postgres', '$1')[trouble]}) AND $1::bigint IS NOT NULL LIMIT $2`,
      [beforeMs, limit],
    );
  }

  protected idOf({ flowId }: FlowRecord): string {
    return flowId;
  }
}

const OWN = columnsOf(HISTORY_FIELDS).filter(([name]) => name !== 'n');

/**
 * The numbers come from a sequence, because claims of tasks of one flow do not wait for each other. They are higher
 * than all that another store has given: a flow that was copied goes on after its last entry. If that is ahead of the
 * sequence, the number of the sequence is added to it, so that claims at once still get different ones. Setting the
 * sequence would need a right that hosts do not have.
 */
const INSERT = `INSERT INTO svc.history (n, ${OWN.map(([, column]) => column).join(', ')})
  SELECT CASE WHEN r.next > last.n THEN r.next ELSE last.n + r.next END,
    ${OWN.map(([name]) => `r."${name}"`).join(', ')}
  FROM (SELECT *, nextval('svc.history_n') AS next
    FROM (SELECT * FROM ${givenRows(HISTORY_FIELDS, columnsOf(HISTORY_FIELDS))} ORDER BY n) AS r) AS r
  CROSS JOIN LATERAL (
    SELECT coalesce(max(n), 0) AS n FROM svc.history WHERE flow_seq = r."flowSeq") AS last`;

/** Adds what the changes of a transaction noted, in their order. */
export async function appendHistory(
  batch: Batch,
  notes: readonly NewHistoryEntry[],
): Promise<void> {
  if (notes.length === 0) return;
  await batch.run(INSERT, [toJson(notes.map((note, at) => ({ n: at + 1, ...note })))]);
}

/** The table of what happened to flows. */
export class HistoryTable implements HistoryRows {
  private readonly turn: Turn;

  constructor(turn: Turn) {
    this.turn = turn;
  }

  ofFlow(flowSeq: number): Promise<readonly HistoryEntry[]> {
    return this.turn.batch.query<HistoryEntry>(
      `SELECT ${selected('svc.history', HISTORY_FIELDS)} FROM svc.history
       WHERE flow_seq = $1 ORDER BY n`,
      [flowSeq],
    );
  }

  async trim(sinceMs: number, limit: number): Promise<number> {
    const [row] = await this.turn.batch.query<{ flows: number }>(
      `WITH long AS (
         SELECT flow_seq FROM svc.history WHERE flow_seq IN (
           SELECT seq FROM svc.flows WHERE ended_at IS NULL OR ended_at >= $1)
         GROUP BY flow_seq HAVING count(*) > $2 LIMIT $3),
       placed AS (
         SELECT flow_seq, n, row_number() OVER (PARTITION BY flow_seq ORDER BY n) AS place,
           row_number() OVER (PARTITION BY flow_seq ORDER BY n DESC) AS age
         FROM svc.history WHERE flow_seq IN (SELECT flow_seq FROM long)),
       gone AS (
         DELETE FROM svc.history USING placed
         WHERE (svc.history.flow_seq, svc.history.n) = (placed.flow_seq, placed.n)
           AND place > ${FIRST_KEPT} AND age > ${MOST_KEPT - FIRST_KEPT} RETURNING 1)
       SELECT count(*)::int AS flows FROM long`,
      [sinceMs, MOST_KEPT, limit],
    );
    return row?.flows ?? 0;
  }
}

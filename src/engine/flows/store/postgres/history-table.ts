import { columnsOf } from '../../fields.js';
import type { HistoryRows } from '../../flow-store.js';
import {
  FIRST_KEPT,
  HISTORY_FIELDS,
  type HistoryEntry,
  MOST_KEPT,
  type NewHistoryEntry,
} from '../../history.js';
import type { Batch, Turn } from './batch.js';
import { givenRows, selected, toJson } from './record-sql.js';

const OWN = columnsOf(HISTORY_FIELDS).filter(([name]) => name !== 'n');

/**
 * The numbers come from a sequence, because claims of tasks of one flow do not wait for each other. They are higher
 * than all that another store has given: a flow that was copied goes on after its last entry.
 */
const INSERT = `INSERT INTO svc.history (n, ${OWN.map(([, column]) => column).join(', ')})
  SELECT greatest(nextval('svc.history_n'), last.n + r.n),
    ${OWN.map(([name]) => `r."${name}"`).join(', ')}
  FROM (SELECT * FROM ${givenRows(HISTORY_FIELDS, columnsOf(HISTORY_FIELDS))} ORDER BY n) AS r
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

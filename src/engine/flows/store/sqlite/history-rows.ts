import type { Connection } from '../../../sqlite/database.js';
import { columnsOf } from '../../fields.js';
import type { HistoryRows } from '../../flow-store.js';
import {
  FIRST_KEPT,
  HISTORY_FIELDS,
  type HistoryEntry,
  MOST_KEPT,
  type NewHistoryEntry,
} from '../../history.js';
import { selectFrom } from './record-table.js';

/** The table of what happened to flows. Callers hold a transaction where they write. */
export function historyRows(database: Connection) {
  const own = columnsOf(HISTORY_FIELDS).filter(([name]) => name !== 'n');
  const insert = database.prepare<[NewHistoryEntry]>(
    `INSERT INTO history (n, ${own.map(([, column]) => column).join(', ')})
     VALUES ((SELECT coalesce(max(n), 0) + 1 FROM history WHERE flow_seq = @flowSeq),
       ${own.map(([name]) => `@${name}`).join(', ')})`,
  );
  const ofFlow = database.prepare<[number], HistoryEntry>(
    `${selectFrom('history', HISTORY_FIELDS)} WHERE flow_seq = ? ORDER BY n`,
  );
  const rows: HistoryRows = {
    ofFlow: async (flowSeq) => ofFlow.all(flowSeq),
    trim: async (sinceMs, limit) => {
      const long = database
        .prepare<[number, number, number], number>(
          `SELECT flow_seq FROM history WHERE flow_seq IN (
             SELECT seq FROM flows WHERE status IN ('queued', 'running', 'waiting', 'blocked')
             UNION ALL SELECT seq FROM flows WHERE ended_at >= ?)
           GROUP BY flow_seq HAVING count(*) > ? LIMIT ?`,
        )
        .pluck()
        .all(sinceMs, MOST_KEPT, limit);
      const trim = database.prepare<[{ readonly seq: number }]>(
        `DELETE FROM history WHERE flow_seq = @seq
         AND n >= (SELECT n FROM history WHERE flow_seq = @seq
           ORDER BY n LIMIT 1 OFFSET ${FIRST_KEPT})
         AND n < (SELECT n FROM history WHERE flow_seq = @seq
           ORDER BY n DESC LIMIT 1 OFFSET ${MOST_KEPT - FIRST_KEPT - 1})`,
      );
      for (const seq of long) trim.run({ seq });
      return long.length;
    },
  };
  return {
    rows,
    append: (entries: readonly NewHistoryEntry[]): void => {
      for (const entry of entries) insert.run(entry);
    },
  };
}

import type { Connection } from '../../sqlite/database.js';
import { ID_IS, idPattern } from './id-match.js';
import type { Where } from './where.js';

/** How records that have an id are found. */
export interface RecordFinder<Row extends { readonly status: string }> {
  readonly byId: (id: string) => Row | undefined;
  /** Up to two, which is enough to know that a beginning is not enough. */
  readonly byPrefix: (prefix: string) => readonly Row[];
  /** Newest first. */
  readonly list: (where: Where, limit: number) => readonly Row[];
  readonly count: (where: Where) => number;
  /** All, by their states. */
  readonly countsByStatus: () => readonly (readonly [status: Row['status'], count: number])[];
}

/** @param select gives whole records of the table; conditions follow it */
export function recordFinder<Row extends { readonly status: string }>(
  database: Connection,
  table: string,
  select: string,
): RecordFinder<Row> {
  const byId = database.prepare<[{ readonly id: string }], Row>(`${select} WHERE ${ID_IS}`);
  return {
    byId: (id) => byId.get({ id }),
    byPrefix: (prefix) => {
      const pattern = idPattern(prefix);
      if (pattern === undefined) return [];
      return database
        .prepare<[string], Row>(`${select} WHERE id GLOB ? ORDER BY seq DESC LIMIT 2`)
        .all(pattern);
    },
    list: ({ sql, values }, limit) =>
      database
        .prepare<unknown[], Row>(`${select} ${sql} ORDER BY seq DESC LIMIT ?`)
        .all(...values, limit),
    count: ({ sql, values }) => {
      const count = database.prepare<unknown[], number>(`SELECT count(*) FROM ${table} ${sql}`);
      return count.pluck().get(...values) ?? 0;
    },
    countsByStatus: () =>
      database
        .prepare<[], [Row['status'], number]>(
          `SELECT status, count(*) FROM ${table} GROUP BY status`,
        )
        .raw()
        .all(),
  };
}

import { SvcError } from '../../errors/index.js';
import { idPrefix, MIN_PREFIX } from '../../flow-model/ids.js';
import {
  atLeast,
  below,
  type Condition,
  type Dialect,
  equals,
  type RecordTable,
  type StoreSql,
  selectFrom,
  type WhereClause,
  whereOf,
} from './store-sql.js';

/** Which records to list; what is left out limits nothing. */
export interface RecordFilter<Status extends string> {
  readonly statuses?: readonly Status[] | undefined;
  readonly ownerKey?: string | undefined;
  /** Created at or after this time, epoch milliseconds. */
  readonly sinceMs?: number | undefined;
  /** Created before this time. */
  readonly beforeMs?: number | undefined;
  /** Created before the record with this `seq`. */
  readonly beforeSeq?: number | undefined;
  readonly limit: number;
}

interface FlowOrTask {
  readonly seq: number;
  readonly status: string;
}

/** What the tables of flows and tasks have in common. */
interface FlowOrTaskTable<Row extends FlowOrTask, Filter> {
  readonly kind: 'flow' | 'task';
  readonly table: RecordTable;
  readonly byId: (id: string) => Promise<Row | undefined>;
  readonly idOf: (row: Row) => string;
  /** The conditions of a filter that are special to the table. */
  readonly conditionsOf: (filter: Omit<Filter, 'limit'>) => readonly Condition[];
}

/**
 * The condition that finds records with a problem, in either dialect.
 *
 * @param before SQL for the time before which something is too long ago
 */
export type ProblemSql = (dialect: Dialect, before: string) => string;

/** Writes and finds records that have an id, an owner and a status. */
export function flowOrTaskRows<Row extends FlowOrTask, Filter extends RecordFilter<Row['status']>>(
  sql: StoreSql,
  { kind, table, byId, idOf, conditionsOf }: FlowOrTaskTable<Row, Filter>,
) {
  const select = selectFrom(sql, table);
  const whereIn = (filter: Omit<Filter, 'limit'>) =>
    whereOf([
      equals(sql, 'status', filter.statuses),
      equals(sql, 'owner_key', filter.ownerKey),
      atLeast('created_at', filter.sinceMs),
      below('created_at', filter.beforeMs),
      below('seq', filter.beforeSeq),
      ...conditionsOf(filter),
    ]);
  return {
    byId,
    /** The record with an id, or with a unique prefix of one; or why there is none. */
    named: async (idOrPrefix: string): Promise<Row | SvcError> => {
      const exact = await byId(idOrPrefix);
      if (exact !== undefined) return exact;
      const start = idPrefix(idOrPrefix);
      const text = `${select} WHERE id LIKE $1 ORDER BY seq DESC LIMIT 2`;
      const [found, second] = start === undefined ? [] : await sql.query<Row>(text, [`${start}%`]);
      if (second !== undefined) return ambiguous(kind, idOrPrefix);
      // A change needs it locked.
      const record = found !== undefined && sql.locks ? await byId(idOf(found)) : found;
      return record ?? notFound(kind, idOrPrefix);
    },
    /** Newest first. */
    list: (filter: Filter) => newestRows<Row>(sql, table, whereIn(filter), filter.limit),
    /** How many fit, without the limit. */
    count: (filter: Omit<Filter, 'limit'>) => countRows(sql, table.name, whereIn(filter)),
    countsByStatus: async () => {
      const rows = await sql.query<{ status: Row['status']; count: number }>(
        `SELECT status, count(*) AS count FROM ${sql.schema}${table.name} GROUP BY status`,
      );
      return rows.map(({ status, count }) => [status, count] as const);
    },
    /** Records with a problem. @param beforeMs what happened before is too long ago */
    withProblem: (problem: ProblemSql, beforeMs: number, limit: number) => {
      const condition = problem(sql, '$2');
      // A server wants to know what each value is for.
      const values = condition.includes('$2') ? [limit, beforeMs] : [limit];
      return sql.query<Row>(`${select} WHERE ${condition} LIMIT $1`, values);
    },
    ...recordRows<Row>(sql, table),
  };
}

const NOT_FOUND = { flow: 'FLOW_NOT_FOUND', task: 'TASK_NOT_FOUND' } as const;

function notFound(kind: 'flow' | 'task', id: string): SvcError {
  const list = `"svc ${kind} list"`;
  return new SvcError(NOT_FOUND[kind], `${kind} ${id} not found`, {
    hint:
      id.length < MIN_PREFIX
        ? `use at least the first ${MIN_PREFIX} characters of its id; ${list} shows them`
        : `run ${list} to list all ${kind}s`,
  });
}

function ambiguous(kind: 'flow' | 'task', prefix: string): SvcError {
  return new SvcError(NOT_FOUND[kind], `several ${kind}s have ids that start with ${prefix}`, {
    hint: `use a longer prefix; "svc ${kind} list --json" prints whole ids`,
  });
}

/** Writes records. */
export function recordRows<Row extends { readonly seq: number }>(
  sql: StoreSql,
  table: RecordTable,
) {
  return {
    /** @returns the row with its `seq` */
    insert: async <New extends Omit<Row, 'seq'>>(row: New) => ({
      seq: await sql.insert(table, row),
      ...row,
    }),
    /** Writes every field of the row with this `seq`. */
    update: (row: Row) => sql.update(table, row),
  };
}

/** The rows that fit some conditions, newest first. */
export function newestRows<Row extends object>(
  sql: StoreSql,
  table: RecordTable,
  { where, values }: WhereClause,
  limit: number,
): Promise<readonly Row[]> {
  const text = `${selectFrom(sql, table)} ${where} ORDER BY seq DESC LIMIT $${values.length + 1}`;
  return sql.query<Row>(text, [...values, limit]);
}

/** How many rows fit some conditions. */
export async function countRows(
  { query, schema }: StoreSql,
  table: RecordTable['name'],
  { where, values }: WhereClause,
): Promise<number> {
  const text = `SELECT count(*) AS count FROM ${schema}${table} ${where}`;
  const [row] = await query<{ count: number }>(text, values);
  return row?.count ?? 0;
}

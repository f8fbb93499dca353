/* Runs statements once. A statement for many rows is prepared by its caller instead. */
import type { Connection } from './connection.js';

/** The rows of a statement. @param values by place, or one object with names */
export function queryRows<Row>(database: Connection, sql: string, ...values: unknown[]): Row[] {
  return database.prepare<unknown[], Row>(sql).all(...values);
}

/** The first row. */
export function queryRow<Row>(
  database: Connection,
  sql: string,
  ...values: unknown[]
): Row | undefined {
  return database.prepare<unknown[], Row>(sql).get(...values);
}

/** The first column of all rows. */
export function queryColumn<Value>(
  database: Connection,
  sql: string,
  ...values: unknown[]
): Value[] {
  return database
    .prepare<unknown[], Value>(sql)
    .pluck()
    .all(...values);
}

/** The first column of the first row. */
export function queryValue<Value>(
  database: Connection,
  sql: string,
  ...values: unknown[]
): Value | undefined {
  return database
    .prepare<unknown[], Value>(sql)
    .pluck()
    .get(...values);
}

/** Whether a database of another program has a table. */
export function hasTable(database: Connection, name: string): boolean {
  const sql = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?";
  return queryValue(database, sql, name) === 1;
}

/** Runs a statement without rows. @returns how many rows it changed */
export function runSql(database: Connection, sql: string, ...values: unknown[]): number {
  return database.prepare(sql).run(...values).changes;
}

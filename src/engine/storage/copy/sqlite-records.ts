import { existsSync } from 'node:fs';
import { SvcError } from '../../errors/index.js';
import { asFlowsError, openFlowsDatabase } from '../../flows/store/sqlite/open-database.js';
import { type Connection, databaseFault, openDatabase } from '../../sqlite/database.js';
import { DURABLE_COMMITS } from '../../sqlite/format.js';
import { queryRows, runSql } from '../../sqlite/query.js';
import {
  type CopiedTable,
  FLOW_IN_SQLITE,
  PAGE_CHARACTERS,
  pageSql,
  type RecordRow,
  type RecordStore,
  recordsOf,
  rowsOf,
  sameInSqlite,
  upsertSql,
} from './record-tables.js';

const BUSY_TIMEOUT_MS = 1000;

/**
 * Opens the database of flows, to copy from or to it. No other process can open it until it is closed, so no listener
 * or worker changes it meanwhile; a dry run only reads it, and keeps nobody out.
 *
 * @param creates whether to create it
 * @returns undefined if there is none
 * @throws SvcError FLOWS_BUSY if another process has it open; FLOWS_*
 */
export function openCopiedFlows(
  file: string,
  { creates, dryRun }: { readonly creates: boolean; readonly dryRun: boolean },
): Connection | undefined {
  if ((dryRun || !creates) && !existsSync(file)) return undefined;
  // Brings it to this version.
  const shared = openFlowsDatabase(file);
  if (dryRun) return shared;
  shared.close();
  const database = openDatabase(file, { readonly: false, busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    database.pragma('locking_mode = EXCLUSIVE');
    // The first transaction takes the lock (https://sqlite.org/pragma.html#pragma_locking_mode).
    database.exec('BEGIN EXCLUSIVE; COMMIT');
    for (const pragma of DURABLE_COMMITS) database.pragma(pragma);
    return database;
  } catch (error) {
    database.close();
    if (databaseFault(error) !== 'busy') throw asFlowsError(error, file);
    throw new SvcError('FLOWS_BUSY', `${file} is in use by a listener or a worker of this host`, {
      hint: 'stop "svc serve", "svc webhook serve" and the workers, then run it again',
      cause: error,
    });
  }
}

/** The rows of a table in flows.sqlite. */
export function sqliteRecords(database: Connection, table: CopiedTable): RecordStore {
  const byName = (column: string): string => `@${column}`;
  const page = (isFirst: boolean) =>
    database.prepare<RecordRow[], RecordRow>(pageSql(table, '', isFirst, byName));
  const [first, next] = [page(true), page(false)];
  const same = database.prepare<[RecordRow], RecordRow>(
    `SELECT * FROM ${rowsOf(table, '')} WHERE ${sameInSqlite(table)}`,
  );
  const upsert = database.prepare<[RecordRow]>(
    upsertSql(table, '', (columns) => {
      const values = columns.map((name) =>
        name === 'flow_seq' ? `coalesce(${FLOW_IN_SQLITE}, 0)` : byName(name),
      );
      return `VALUES (${values.join(', ')})`;
    }),
  );
  const inOrder = (text: string): string => text.replaceAll(/\$\d/gu, '?');
  const statements = {
    query: async <Row>(text: string, values: readonly unknown[] = []) =>
      queryRows<Row>(database, inOrder(text), ...values),
    run: async (text: string, values: readonly unknown[] = []) =>
      runSql(database, inOrder(text), ...values),
  };
  return {
    ...recordsOf(statements, table, ''),
    page: async (after) => pageOf(after === undefined ? first.iterate() : next.iterate(after)),
    find: async (records) => records.flatMap((row) => same.all(row)),
    write: async (records) => {
      let written = 0;
      database.transaction(() => {
        for (const row of records) written += upsert.run(row).changes;
      })();
      return written;
    },
  };
}

function pageOf(rows: Iterable<RecordRow>): readonly RecordRow[] {
  const page: RecordRow[] = [];
  let characters = 0;
  for (const row of rows) {
    page.push(row);
    for (const value of Object.values(row)) characters += String(value).length;
    if (characters >= PAGE_CHARACTERS) break;
  }
  return page;
}

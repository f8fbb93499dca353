import { existsSync } from 'node:fs';
import { SvcError } from '../../errors/index.js';
import { asFlowsError, openFlowsDatabase } from '../../flows/store/sqlite/open-database.js';
import { type Connection, databaseFault, openDatabase } from '../../sqlite/database.js';
import { queryRow, queryValue, runSql } from '../../sqlite/query.js';
import {
  type CopiedTable,
  FLOW_IN_SQLITE,
  highWaterMarkSql,
  newerSql,
  PAGE_CHARACTERS,
  pageSql,
  type RecordRow,
  type RecordStore,
  rowsOf,
  sameInSqlite,
  writtenColumns,
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
    database.pragma('synchronous = FULL');
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
  const rows = rowsOf(table, '');
  const first = database.prepare<[], RecordRow>(pageSql(table, rows, true, () => '?'));
  const next = database.prepare<unknown[], RecordRow>(pageSql(table, rows, false, () => '?'));
  const same = database.prepare<[RecordRow], RecordRow>(
    `SELECT * FROM ${rows} WHERE ${sameInSqlite(table)}`,
  );
  const upsert = database.prepare<[RecordRow]>(upsertSql(table));
  return {
    count: async () => queryValue<number>(database, `SELECT count(*) FROM ${rows}`) ?? 0,
    page: async (after) => {
      const nextRows =
        after === undefined
          ? first.iterate()
          : next.iterate(table.order.map((column) => after[column]));
      return pageOf(nextRows);
    },
    find: async (records) => records.flatMap((row) => same.all(row)),
    write: async (records) => {
      let written = 0;
      database.transaction(() => {
        for (const row of records) written += upsert.run(row).changes;
      })();
      return written;
    },
    id: async () => queryValue<string>(database, 'SELECT id FROM store') ?? '',
    highWaterMark: async () => {
      if (table.createdColumn === undefined) return undefined;
      return queryRow(database, highWaterMarkSql(table, rows));
    },
    copiedFrom: async (source) => {
      const sql = 'SELECT seq, at FROM copies WHERE source = ? AND part = ?';
      return queryRow(database, sql, source, table.name);
    },
    noteCopied: async (source, { seq, at }) => {
      const sql = 'INSERT OR REPLACE INTO copies (source, part, seq, at) VALUES (?, ?, ?, ?)';
      runSql(database, sql, source, table.name, seq, at);
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

function upsertSql(table: CopiedTable): string {
  const columns = writtenColumns(table);
  const hasFlow = table.localColumns.includes('flow_seq');
  return `INSERT INTO ${table.name} (${[...columns, ...(hasFlow ? ['flow_seq'] : [])].join(', ')})
    VALUES (${[
      ...columns.map((name) => `@${name}`),
      ...(hasFlow ? [`coalesce(${FLOW_IN_SQLITE}, 0)`] : []),
    ].join(', ')})
    ON CONFLICT DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}
    WHERE ${newerSql(table, table.name)}`;
}

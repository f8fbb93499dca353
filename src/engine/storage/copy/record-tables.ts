import { columnsOf, type Fields, isNumeric } from '../../flow-model/fields.js';
import { FLOW_FIELDS } from '../../flow-model/flow-record.js';
import { HISTORY_FIELDS } from '../../flow-model/history-record.js';
import { ID_MOMENT_AT } from '../../flow-model/ids.js';
import { NOTIFICATION_FIELDS } from '../../flow-model/notification-record.js';
import { SCHEDULE_FIELDS } from '../../flow-model/schedule-record.js';
import { PAUSE_FIELDS, TASK_FIELDS } from '../../flow-model/task-record.js';
import type { CopySource, CopyTarget } from './copy-part.js';

/** A row as it is stored, by column. */
export type RecordRow = Readonly<Record<string, number | string | null>>;

/** A table that both stores have with the same columns. */
export interface CopiedTable {
  readonly name: string;
  /** The columns and their types. */
  readonly columns: Readonly<Record<string, 'bigint' | 'text'>>;
  /** Identifies a row in both stores. */
  readonly key: readonly string[];
  /** When a row was created; undefined if it may come back after it was deleted. */
  readonly createdColumn?: string;
  /** Numbers that grow with changes of a row, the most important one first; null counts as 0. */
  readonly versionColumns: readonly string[];
}

/** Finds an id bound as `@name`. */
const byId = (name: string): string =>
  `substr(id, ${ID_MOMENT_AT + 1}) = substr(@${name}, ${ID_MOMENT_AT + 1}) AND id = @${name}`;

/** The `seq` of the flow `@flow_id` in SQLite. */
export const FLOW_IN_SQLITE = `(SELECT seq FROM flows WHERE ${byId('flow_id')})`;

/** Finds the row with the key of another one in SQLite, through the index of the table. */
export function sameInSqlite(table: CopiedTable): string {
  if (table.name === 'flows' || table.name === 'tasks') return byId('id');
  return localKey(table)
    .map((column) => `${column} = ${column === 'flow_seq' ? FLOW_IN_SQLITE : `@${column}`}`)
    .join(' AND ');
}

/** Flows first, because tasks refer to them. */
export const COPIED_TABLES: readonly CopiedTable[] = [
  {
    ...copiedTable('flows', FLOW_FIELDS),
    createdColumn: 'created_at',
    versionColumns: ['revision'],
  },
  {
    ...copiedTable('tasks', TASK_FIELDS),
    createdColumn: 'created_at',
    versionColumns: ['revision'],
  },
  {
    ...copiedTable('notifications', NOTIFICATION_FIELDS),
    key: ['id', 'target'],
    createdColumn: 'created_at',
    versionColumns: ['retries', 'settled_at', 'attempts'],
  },
  {
    name: 'history',
    columns: { flow_id: 'text', ...copiedTable('history', HISTORY_FIELDS).columns },
    key: ['flow_id', 'n'],
    versionColumns: ['at'],
  },
  {
    name: 'answers',
    columns: {
      owner_key: 'text',
      action: 'text',
      key: 'text',
      body_hash: 'text',
      answer: 'text',
      expires_at: 'bigint',
    },
    key: ['owner_key', 'action', 'key'],
    versionColumns: ['expires_at'],
  },
  {
    ...copiedTable('pauses', PAUSE_FIELDS),
    key: ['runtime'],
    createdColumn: 'paused_at',
    versionColumns: ['paused_at'],
  },
  { ...copiedTable('schedules', SCHEDULE_FIELDS), versionColumns: ['handled_until', 'ran_at'] },
];

function copiedTable(name: string, fields: Fields): Pick<CopiedTable, 'columns' | 'key' | 'name'> {
  const columns = columnsOf(fields).map(([field, column]) => {
    return [column, isNumeric(fields[field]) ? 'bigint' : 'text'] as const;
  });
  return { name, columns: Object.fromEntries(columns), key: ['id'] };
}

/** The columns that a store gets from the other: each numbers rows itself. */
export function copiedColumns({ columns }: CopiedTable): readonly string[] {
  return Object.keys(columns).filter((name) => name !== 'seq' && name !== 'flow_seq');
}

/** Whether the rows refer to their flow by its `seq`. */
export function hasFlow({ columns }: CopiedTable): boolean {
  return 'flow_seq' in columns;
}

/** Whether the rows have no id of their flow: only its `seq`, which differs between stores, identifies them. */
function isKeyedByFlow({ key }: CopiedTable): boolean {
  return key.includes('flow_id');
}

/** Identifies a row in its store. */
export function localKey({ key }: CopiedTable): readonly string[] {
  return key.map((column) => (column === 'flow_id' ? 'flow_seq' : column));
}

/** Orders the rows of one store; grows with new ones where it can. */
export function orderOf(table: CopiedTable): readonly string[] {
  return 'seq' in table.columns ? ['seq'] : localKey(table);
}

/** The rows of a table with all columns, in SQL. @param schema of its name, with a dot; empty in SQLite */
export function rowsOf(table: CopiedTable, schema: string): string {
  const name = `${schema}${table.name}`;
  if (!isKeyedByFlow(table)) return name;
  return `(SELECT own.*, flows.id AS flow_id FROM ${name} AS own
    JOIN ${schema}flows AS flows ON flows.seq = own.flow_seq)`;
}

/** The rows of a table in one of the stores, and what it knows of copies. */
export interface RecordStore extends CopySource<RecordRow>, CopyTarget<RecordRow> {
  /** Identifies the store. */
  id(): Promise<string>;
  /** Undefined if the table is empty or its rows may come back. */
  highWaterMark(): Promise<HighWaterMark | undefined>;
  /** The mark of another store when it was copied into this one completely; undefined if it never was. */
  copiedFrom(source: string): Promise<HighWaterMark | undefined>;
  /** Notes that another store was copied completely. */
  noteCopied(source: string, mark: HighWaterMark): Promise<void>;
}

/**
 * The newest row of a table; no later one is below it. Two values, because a restored store numbers rows again, and a clock
 * can be set back.
 */
export interface HighWaterMark {
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Runs statements in a store; they have `$1`, `$2` … for their values, each once and in this order. */
interface Statements {
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  run(text: string, values?: readonly unknown[]): Promise<unknown>;
}

/** What a store of either kind knows of a table and its copies. @param schema see {@link rowsOf} */
export function recordsOf(
  sql: Statements,
  table: CopiedTable,
  schema: string,
): Omit<RecordStore, 'find' | 'page' | 'write'> {
  const rows = `${rowsOf(table, schema)} AS own`;
  const copies = `${schema}copies`;
  return {
    count: async () => {
      const [row] = await sql.query<{ count: number }>(`SELECT count(*) AS count FROM ${rows}`);
      return row?.count ?? 0;
    },
    id: async () => {
      const [row] = await sql.query<{ id: string }>(`SELECT id FROM ${schema}store`);
      return row?.id ?? '';
    },
    highWaterMark: async () => {
      if (table.createdColumn === undefined) return undefined;
      const seq = 'seq' in table.columns ? 'max(seq)' : '0';
      const [mark] = await sql.query<HighWaterMark>(
        `SELECT ${seq} AS seq, max(${table.createdColumn}) AS at FROM ${rows} HAVING count(*) > 0`,
      );
      return mark;
    },
    copiedFrom: async (source) => {
      const [mark] = await sql.query<HighWaterMark>(
        `SELECT seq, at FROM ${copies} WHERE source = $1 AND part = $2`,
        [source, table.name],
      );
      return mark;
    },
    noteCopied: async (source, { seq, at }) => {
      await sql.run(
        `INSERT INTO ${copies} (source, part, seq, at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (source, part) DO UPDATE SET seq = excluded.seq, at = excluded.at`,
        [source, table.name, seq, at],
      );
    },
  };
}

/** Whether a row was there already when its table had this high-water mark. */
export function isBelowMark(
  { columns, createdColumn }: CopiedTable,
  row: RecordRow,
  { seq, at }: HighWaterMark,
): boolean {
  const isInOrder = !('seq' in columns) || Number(row['seq']) <= seq;
  return createdColumn !== undefined && isInOrder && Number(row[createdColumn]) <= at;
}

/** Selects the rows after another one. @param placeholder of an ordering column */
export function pageSql(
  table: CopiedTable,
  schema: string,
  isFirst: boolean,
  placeholder: (column: string, at: number) => string,
): string {
  const order = orderOf(table).join(', ');
  const after = orderOf(table).map(placeholder).join(', ');
  return `SELECT ${Object.keys(table.columns).join(', ')} FROM ${rowsOf(table, schema)} AS own
    ${isFirst ? '' : `WHERE (${order}) > (${after})`} ORDER BY ${order} LIMIT ${PAGE_ROWS}`;
}

const PAGE_ROWS = 200;

/** A page ends with the row that reaches this many characters: a flow can have megabytes. */
export const PAGE_CHARACTERS = 4_000_000;

/**
 * Adds rows, or replaces older ones, in SQL of both stores.
 *
 * @param rows selects the values of these columns
 * @param conflict what PostgreSQL has to know of the key
 */
export function upsertSql(
  table: CopiedTable,
  schema: string,
  rows: (columns: readonly string[]) => string,
  conflict = '',
): string {
  const copied = copiedColumns(table).filter((name) => name !== 'flow_id' || !isKeyedByFlow(table));
  const written = hasFlow(table) ? [...copied, 'flow_seq'] : copied;
  const versionOf = (row: string): string =>
    table.versionColumns.map((column) => `coalesce(${row}.${column}, 0)`).join(', ');
  return `INSERT INTO ${schema}${table.name} AS there (${written.join(', ')}) ${rows(written)}
    ON CONFLICT ${conflict} DO UPDATE SET ${copied.map((name) => `${name} = excluded.${name}`).join(', ')}
    WHERE (${versionOf('excluded')}) > (${versionOf('there')})`;
}

/** Whether a row is a newer version of another one. */
export function isNewerRow({ versionColumns }: CopiedTable, a: RecordRow, b: RecordRow): boolean {
  const differing = versionColumns.find(
    (column) => Number(a[column] ?? 0) !== Number(b[column] ?? 0),
  );
  return differing !== undefined && Number(a[differing] ?? 0) > Number(b[differing] ?? 0);
}

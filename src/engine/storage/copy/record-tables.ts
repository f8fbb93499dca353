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
  readonly columns: readonly { readonly name: string; readonly isNumber: boolean }[];
  /** Identifies a row in both stores. */
  readonly key: readonly string[];
  /** The rows have no id of their flow: they are identified by its `seq`, which differs between stores. */
  readonly isKeyedByFlow?: true;
  /** Orders the rows of one store; grows with new ones where it can. */
  readonly order: readonly string[];
  /** Columns whose values differ between stores. */
  readonly localColumns: readonly string[];
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
export function sameInSqlite({ name, key }: CopiedTable): string {
  if (name === 'flows' || name === 'tasks') return byId('id');
  return key
    .map((column) =>
      column === 'flow_id' ? `flow_seq = ${FLOW_IN_SQLITE}` : `${column} = @${column}`,
    )
    .join(' AND ');
}

/** Flows first, because tasks refer to them. */
export const COPIED_TABLES: readonly CopiedTable[] = [
  {
    ...copiedTable('flows', FLOW_FIELDS),
    localColumns: ['seq'],
    createdColumn: 'created_at',
    versionColumns: ['revision'],
  },
  {
    ...copiedTable('tasks', TASK_FIELDS),
    localColumns: ['seq', 'flow_seq'],
    createdColumn: 'created_at',
    versionColumns: ['revision'],
  },
  {
    ...copiedTable('notifications', NOTIFICATION_FIELDS),
    key: ['id', 'target'],
    localColumns: ['seq'],
    createdColumn: 'created_at',
    versionColumns: ['retries', 'settled_at', 'attempts'],
  },
  {
    name: 'history',
    columns: [
      { name: 'flow_id', isNumber: false },
      ...copiedTable('history', HISTORY_FIELDS).columns,
    ],
    key: ['flow_id', 'n'],
    isKeyedByFlow: true,
    order: ['flow_seq', 'n'],
    localColumns: ['flow_seq'],
    versionColumns: ['at'],
  },
  {
    name: 'answers',
    columns: [
      ...['owner_key', 'action', 'key', 'body_hash', 'answer'].map((name) => {
        return { name, isNumber: false };
      }),
      { name: 'expires_at', isNumber: true },
    ],
    key: ['owner_key', 'action', 'key'],
    order: ['owner_key', 'action', 'key'],
    localColumns: [],
    versionColumns: ['expires_at'],
  },
  {
    ...copiedTable('pauses', PAUSE_FIELDS),
    key: ['runtime'],
    order: ['runtime'],
    localColumns: [],
    createdColumn: 'paused_at',
    versionColumns: ['paused_at'],
  },
  {
    ...copiedTable('schedules', SCHEDULE_FIELDS),
    order: ['id'],
    localColumns: [],
    versionColumns: ['handled_until', 'ran_at'],
  },
];

function copiedTable(
  name: string,
  fields: Fields,
): Pick<CopiedTable, 'columns' | 'key' | 'name' | 'order'> {
  const columns = columnsOf(fields).map(([field, column]) => {
    return { name: column, isNumber: isNumeric(fields[field]) };
  });
  return { name, columns, key: ['id'], order: ['seq'] };
}

function columnNames({ columns }: CopiedTable): readonly string[] {
  return columns.map(({ name }) => name);
}

/** The columns that a store gets from the other. */
export function copiedColumns(table: CopiedTable): readonly string[] {
  return columnNames(table).filter((name) => !table.localColumns.includes(name));
}

/** The columns that are written. */
export function writtenColumns(table: CopiedTable): readonly string[] {
  const columns = copiedColumns(table);
  return table.isKeyedByFlow === true ? columns.filter((name) => name !== 'flow_id') : columns;
}

/** The rows of a table with all columns, in SQL. @param schema of its name, with a dot; empty in SQLite */
export function rowsOf({ name, isKeyedByFlow }: CopiedTable, schema: string): string {
  if (isKeyedByFlow !== true) return `${schema}${name}`;
  return `(SELECT own.*, flows.id AS flow_id FROM ${schema}${name} AS own
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

/** Selects the high-water mark of a table; no row if the table is empty. @param from see {@link rowsOf} */
export function highWaterMarkSql(
  { createdColumn, localColumns }: CopiedTable,
  from: string,
): string {
  const seq = localColumns.includes('seq') ? 'max(seq)' : '0';
  return `SELECT ${seq} AS seq, max(${createdColumn}) AS at FROM ${from} AS own HAVING count(*) > 0`;
}

/** Whether a row was there already when its table had this high-water mark. */
export function isBelowMark(
  { createdColumn, localColumns }: CopiedTable,
  row: RecordRow,
  { seq, at }: HighWaterMark,
): boolean {
  const isInOrder = !localColumns.includes('seq') || Number(row['seq']) <= seq;
  return createdColumn !== undefined && isInOrder && Number(row[createdColumn]) <= at;
}

/** Selects the rows after another one. @param placeholder the placeholder of each ordering column */
export function pageSql(
  table: CopiedTable,
  from: string,
  isFirst: boolean,
  placeholder: (at: number) => string,
): string {
  const order = table.order.join(', ');
  const after = isFirst
    ? ''
    : `WHERE (${order}) > (${table.order.map((_, at) => placeholder(at)).join(', ')})`;
  return `SELECT ${columnNames(table).join(', ')} FROM ${from} AS own ${after} ORDER BY ${order} LIMIT ${PAGE_ROWS}`;
}

const PAGE_ROWS = 200;

/** A page ends with the row that reaches this many characters: a flow can have megabytes. */
export const PAGE_CHARACTERS = 4_000_000;

/** Whether the row of an upsert is newer than the one that is there, in SQL of both stores. */
export function newerSql({ versionColumns }: CopiedTable, there: string): string {
  const of = (row: string): string =>
    versionColumns.map((column) => `coalesce(${row}.${column}, 0)`).join(', ');
  return `(${of('excluded')}) > (${of(there)})`;
}

/** The same for rows at hand. */
export function isNewerRow({ versionColumns }: CopiedTable, a: RecordRow, b: RecordRow): boolean {
  const differing = versionColumns.find(
    (column) => Number(a[column] ?? 0) !== Number(b[column] ?? 0),
  );
  return differing !== undefined && Number(a[differing] ?? 0) > Number(b[differing] ?? 0);
}

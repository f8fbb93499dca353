import { columnsOf, type Fields } from '../../flows/fields.js';
import { FLOW_FIELDS } from '../../flows/flow-record.js';
import { ID_MOMENT_AT } from '../../flows/ids.js';
import { NOTIFICATION_FIELDS } from '../../flows/notification-record.js';
import { PAUSE_FIELDS } from '../../flows/pause-record.js';
import { TASK_FIELDS } from '../../flows/task-record.js';

/** A row as it is stored, by column. */
export type RecordRow = Readonly<Record<string, number | string | null>>;

/** A table that both stores have with the same columns. */
export interface RecordTable {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly isNumber: boolean }[];
  /** Identifies a row in both stores. */
  readonly key: readonly string[];
  /** Orders the rows of one store; grows with new ones where it can. */
  readonly order: readonly string[];
  /** Columns that each store has its own values of. */
  readonly own: readonly string[];
  /** Numbers that grow with changes of a row, the most important one first; null counts as 0. */
  readonly version: readonly string[];
  /** Finds the row `@id` in SQLite, through the index of the table. */
  readonly inSqlite: string;
}

const BY_ID = `substr(id, ${ID_MOMENT_AT + 1}) = substr(@id, ${ID_MOMENT_AT + 1}) AND id = @id`;

/** Flows first, because tasks refer to them. */
export const RECORD_TABLES: readonly RecordTable[] = [
  {
    ...recordTable('flows', FLOW_FIELDS),
    own: ['seq'],
    version: ['revision'],
    inSqlite: BY_ID,
  },
  {
    ...recordTable('tasks', TASK_FIELDS),
    own: ['seq', 'flow_seq'],
    version: ['revision'],
    inSqlite: BY_ID,
  },
  {
    ...recordTable('notifications', NOTIFICATION_FIELDS),
    own: ['seq'],
    version: ['settled_at', 'attempts'],
    inSqlite: 'id = @id',
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
    own: [],
    version: ['expires_at'],
    inSqlite: 'owner_key = @owner_key AND action = @action AND key = @key',
  },
  {
    ...recordTable('pauses', PAUSE_FIELDS),
    key: ['runtime'],
    order: ['runtime'],
    own: [],
    version: ['paused_at'],
    inSqlite: 'runtime = @runtime',
  },
];

function recordTable(
  name: string,
  fields: Fields,
): Pick<RecordTable, 'columns' | 'key' | 'name' | 'order'> {
  const columns = columnsOf(fields).map(([field, column]) => {
    const kind = fields[field]?.kind;
    return { name: column, isNumber: kind === 'count' || kind === 'time' };
  });
  return { name, columns, key: ['id'], order: ['seq'] };
}

function columnNames({ columns }: RecordTable): readonly string[] {
  return columns.map(({ name }) => name);
}

/** The columns that a store gets from the other. */
export function copiedColumns(table: RecordTable): readonly string[] {
  return columnNames(table).filter((name) => !table.own.includes(name));
}

/** Rows after another one. @param place the placeholder of each ordering column */
export function pageSql(
  table: RecordTable,
  from: string,
  isFirst: boolean,
  place: (at: number) => string,
): string {
  const order = table.order.join(', ');
  const after = isFirst
    ? ''
    : `WHERE (${order}) > (${table.order.map((_, at) => place(at)).join(', ')})`;
  return `SELECT ${columnNames(table).join(', ')} FROM ${from} ${after} ORDER BY ${order} LIMIT ${PAGE_ROWS}`;
}

const PAGE_ROWS = 200;

/** Whether a row is newer than another, in SQL of both stores. */
export function newerSql({ version }: RecordTable, a: string, b: string): string {
  const of = (row: string): string =>
    version.map((column) => `coalesce(${row}.${column}, 0)`).join(', ');
  return `(${of(a)}) > (${of(b)})`;
}

/** The same for rows at hand. */
export function isNewerRow({ version }: RecordTable, a: RecordRow, b: RecordRow): boolean {
  const differing = version.find((column) => Number(a[column] ?? 0) !== Number(b[column] ?? 0));
  return differing !== undefined && Number(a[differing] ?? 0) > Number(b[differing] ?? 0);
}

import { columnsOf, type Fields } from '../../flow-model/fields.js';

/** How the statements of the tables differ between the stores. */
export interface Dialect {
  /** Precedes the names of tables where a statement reads or writes them. */
  readonly schema: '' | 'svc.';
  /** The function for the greatest of several values. */
  readonly greatest: 'greatest' | 'max';
  /** Whether what is found must stay locked until the end of the transaction. */
  readonly locks: boolean;
  /** Whether a column has the key of a {@link Lookup}, or one of several. */
  isKey(column: KeyColumn): string;
  /** Whether a column has one of the values of a list. @param place as `$1` */
  isOneOf(column: string, place: string): string;
  /** Ends a SELECT whose rows must stay locked where the store {@link locks}. */
  forUpdate(table: string): string;
  /** Ends a SELECT that locks its rows, and skips those that others have locked. */
  forUpdateSkipLocked(...tables: readonly string[]): string;
}

type KeyColumn = `${'flows' | 'notifications' | 'tasks'}.id` | 'flows.seq' | 'tasks.flow_seq';

/** Rows that a key finds: asked often, so that a store answers many keys at once. */
export interface Lookup<K extends number | string, Row extends object> {
  readonly sql: (dialect: Dialect) => string;
  /** The key of a row. */
  readonly keyOf: (row: Row) => K;
}

type Column = readonly [name: string, column: string];

/** A table, derived from the fields of its records. */
export interface RecordTable {
  readonly name: 'flows' | 'history' | 'notifications' | 'pauses' | 'schedules' | 'tasks';
  readonly fields: Fields;
  readonly columns: readonly Column[];
  /** Those that svc writes: all but the numbers that a store assigns. */
  readonly writtenColumns: readonly Column[];
  /** What identifies a record in all stores. */
  readonly keyFields: readonly string[];
  /** The columns of whole records, for a SELECT. */
  readonly selectList: string;
}

/** @param keyFields names of fields */
export function recordTable(
  name: RecordTable['name'],
  fields: Fields,
  keyFields: readonly string[],
): RecordTable {
  const columns = columnsOf(fields);
  const writtenColumns = columns.filter(([field]) => field !== 'seq' && field !== 'n');
  const selectList = columns.map(([field, column]) => `${name}.${column} AS "${field}"`).join(', ');
  return {
    name,
    fields,
    columns,
    writtenColumns,
    keyFields,
    selectList,
  };
}

/** What the tables of flows need of a store. Statements have `$1`, `$2` … for their values; a list is one value. */
export interface StoreSql extends Dialect {
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** @returns how many rows it changed */
  run(text: string, values?: readonly unknown[]): Promise<number>;
  find<K extends number | string, Row extends object>(
    lookup: Lookup<K, Row>,
    key: K,
  ): Promise<readonly Row[]>;
  /** @returns the `seq` of the new row */
  insert(table: RecordTable, row: object): Promise<number>;
  /** Writes every field of the row with this `seq`. */
  update(table: RecordTable, row: { readonly seq: number }): Promise<void>;
  /** Waits for the changes of the transaction that have found the same, and lets later ones wait. */
  takeTurn(kind: 'flow' | 'notification', id: string): Promise<void>;
  /** Makes others who take notifications for this target wait until the transaction ends. */
  takeTarget(target: string): Promise<void>;
}

/** `SELECT … FROM table` of whole records; conditions follow it. */
export function selectFrom({ schema }: Dialect, { name, selectList }: RecordTable): string {
  return `SELECT ${selectList} FROM ${schema}${name}`;
}

/** Finds whole records by a column. All hosts lock them in one order. */
export function lookup<K extends number | string, Row extends object>(
  table: RecordTable,
  column: KeyColumn,
  keyOf: (row: Row) => K,
): Lookup<K, Row> {
  const sql = (dialect: Dialect) =>
    `${selectFrom(dialect, table)} WHERE ${dialect.isKey(column)}
     ORDER BY seq ${dialect.forUpdate(table.name)}`;
  return { sql, keyOf };
}

/** `column, column`, to insert whole records. */
export function columnList(columns: readonly Column[]): string {
  return columns.map(([, column]) => column).join(', ');
}

/** The values of a record, in the order of its columns. */
export function valuesOf(record: object, columns: readonly Column[]): readonly unknown[] {
  return columns.map(([name]): unknown => Reflect.get(record, name));
}

/** `column = $2, column = $3`: {@link valuesOf} as values. @param from the first place */
export function assignments(columns: readonly Column[], from: number): string {
  return columns.map(([, column], at) => `${column} = $${at + from}`).join(', ');
}

/** `$1, $2`: the same for an INSERT. */
export function placeholders(columns: readonly Column[]): string {
  return columns.map((_, at) => `$${at + 1}`).join(', ');
}

/** A condition of a filter, with its value; without one, it limits nothing. */
export type Condition = readonly [sql: (place: string) => string, value: unknown];

/** `column = value`, or one of several. */
export function equals({ isOneOf }: Dialect, column: string, value: unknown): Condition {
  return [
    (place) => (Array.isArray(value) ? isOneOf(column, place) : `${column} = ${place}`),
    value,
  ];
}

/** `column >= value` */
export function atLeast(column: string, value: unknown): Condition {
  return [(place) => `${column} >= ${place}`, value];
}

/** `column < value` */
export function below(column: string, value: unknown): Condition {
  return [(place) => `${column} < ${place}`, value];
}

/** A WHERE clause, empty if nothing is limited, and its values. */
export type WhereClause = ReturnType<typeof whereOf>;

/** A clause of the conditions that have a value. */
export function whereOf(conditions: readonly Condition[]) {
  const limiting = conditions.filter(([, value]) => value !== undefined);
  const parts = limiting.map(([sql], at) => sql(`$${at + 1}`));
  return {
    where: parts.length === 0 ? '' : `WHERE ${parts.join(' AND ')}`,
    values: limiting.map(([, value]) => value),
  };
}

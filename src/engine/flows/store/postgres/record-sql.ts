import { columnsOf, type Field, type Fields } from '../../../flow-model/fields.js';
import type { Batch, Question } from './batch.js';

type Table =
  | 'svc.flows'
  | 'svc.history'
  | 'svc.notifications'
  | 'svc.pauses'
  | 'svc.schedules'
  | 'svc.tasks';

/** The columns of whole records of a table, for a SELECT. */
export function selected(table: Table, fields: Fields): string {
  return columnsOf(fields)
    .map(([name, column]) => `${table}.${column} AS "${name}"`)
    .join(', ');
}

/** The statements that write whole records, many at once. @param key columns that identify a row */
export function recordWriter<Row extends { readonly seq: number }>(
  table: Table,
  fields: Fields,
  key: readonly string[] = ['id'],
) {
  const columns = columnsOf(fields);
  const own = columns.filter(([name]) => name !== 'seq');
  const insertSql = `INSERT INTO ${table} (${own.map(([, column]) => column).join(', ')})
    SELECT ${own.map(([name]) => `r."${name}"`).join(', ')} FROM ${givenRows(fields, own)} RETURNING seq, ${key.join(', ')}`;
  const updateSql = `UPDATE ${table}
    SET ${own.map(([name, column]) => `${column} = r."${name}"`).join(', ')}
    FROM ${givenRows(fields, columns)} WHERE ${table}.seq = r.seq AND ${table}.seq = ANY($2::bigint[])`;
  const updateOneSql = `UPDATE ${table}
    SET ${own.map(([, column], at) => `${column} = $${at + 2}`).join(', ')} WHERE seq = $1`;
  const names = key.map((column) => nameOf(columns, column));
  return {
    /** Inserts rows. @returns the `seq` of each */
    insert: async (batch: Batch, rows: readonly Omit<Row, 'seq'>[]) => {
      const made = await batch.query<{ seq: number }>(insertSql, [toJson(rows)]);
      const seqs = new Map(made.map((row) => [keyOf(row, key), row.seq]));
      return rows.map((row) => seqs.get(keyOf(row, names)) ?? 0);
    },
    /**
     * Writes every field of rows. A single row is the most frequent case, and takes half the time without JSON. The
     * planner knows the length of a list, but not that of JSON.
     */
    update: async (batch: Batch, rows: readonly Row[]) => {
      const [only] = rows;
      if (only !== undefined && rows.length === 1) {
        const values = own.map(([name]): unknown => Reflect.get(only, name));
        await batch.run(updateOneSql, [only.seq, ...values]);
      } else await batch.run(updateSql, [toJson(rows), rows.map(({ seq }) => seq)]);
      return rows.map(() => undefined);
    },
  };
}

/** The rows of `$1`, JSON, as `r`. */
export function givenRows(fields: Fields, given: ReturnType<typeof columnsOf>): string {
  const typed = given.map(([name]) => `"${name}" ${typeOf(fields[name])}`);
  return `json_to_recordset($1::json) AS r(${typed.join(', ')})`;
}

function keyOf(row: object, names: readonly string[]): string {
  return names.map((name) => String(Reflect.get(row, name))).join('\n');
}

function nameOf(columns: ReturnType<typeof columnsOf>, wanted: string): string {
  return columns.find(([, column]) => column === wanted)?.[0] ?? wanted;
}

function typeOf(field: Field | undefined): 'bigint' | 'text' {
  return field?.kind === 'count' || field?.kind === 'time' ? 'bigint' : 'text';
}

/** JSON that PostgreSQL accepts: without NUL, and without halves of characters. */
export function toJson(rows: readonly object[]): string {
  const text = JSON.stringify(rows);
  if (!/\\u(?:0000|d[89a-f])/u.test(text)) return text;
  return JSON.stringify(rows, (_name, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(/\0|\p{Surrogate}/gu, '\ufffd') : value,
  );
}

/** Finds a row for each key, or undefined. @param sql selects by `ANY($1)` */
export function oneFor<K extends number | string, Row extends object>(
  sql: (batch: Batch) => string,
  keyOf: (row: Row) => K,
): Question<K, Row | undefined> {
  return async (batch, keys) => {
    const rows = await batch.query<Row>(sql(batch), [[...new Set(keys)]]);
    const found = new Map(rows.map((row) => [keyOf(row), row]));
    return keys.map((key) => found.get(key));
  };
}

/** Finds all rows for each key, in the order of the statement. @param sql selects by `ANY($1)` */
export function allFor<K extends number | string, Row extends object>(
  sql: (batch: Batch) => string,
  keyOf: (row: Row) => K,
): Question<K, readonly Row[]> {
  return async (batch, keys) => {
    const found = new Map<K, Row[]>(keys.map((key) => [key, []]));
    for (const row of await batch.query<Row>(sql(batch), [[...found.keys()]])) {
      found.get(keyOf(row))?.push(row);
    }
    return keys.map((key) => found.get(key) ?? []);
  };
}

/** Locks what is found until the end of the transaction; a mere read locks nothing. */
export function lockIn({ locks }: Batch, table: Table): string {
  return locks ? `FOR UPDATE OF ${table.slice('svc.'.length)}` : '';
}

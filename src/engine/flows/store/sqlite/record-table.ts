import { columnsOf, type Fields } from '../../../flow-model/fields.js';
import { ID_MOMENT_AT, idPrefix } from '../../../flow-model/ids.js';
import type { Connection } from '../../../sqlite/database.js';
import type { RecordFilter } from '../../flow-store.js';

/** `SELECT … FROM table` of whole records; conditions follow it. */
export function selectFrom(table: string, fields: Fields): string {
  const columns = columnsOf(fields).map(([name, column]) => `${column} AS ${name}`);
  return `SELECT ${columns.join(', ')} FROM ${table}`;
}

/** The statements of a table whose primary key is `seq`. */
export function recordTable<Row extends { readonly seq: number }>(
  database: Connection,
  table: string,
  fields: Fields,
) {
  type NewRow = Omit<Row, 'seq'>;
  const own = columnsOf(fields).filter(([name]) => name !== 'seq');
  const insert = database.prepare(
    `INSERT INTO ${table} (${own.map(([, column]) => column).join(', ')})
     VALUES (${own.map(() => '?').join(', ')})`,
  );
  const update = database.prepare<[Row]>(
    `UPDATE ${table} SET ${own.map(([name, column]) => `${column} = @${name}`).join(', ')}
     WHERE seq = @seq`,
  );
  return {
    /** @returns the row with its `seq` */
    insert: async <New extends NewRow>(row: New) => {
      const values: Readonly<Record<string, unknown>> = row;
      // By place, because looking up the names takes a fifth of an insert.
      const { lastInsertRowid } = insert.run(...own.map(([name]) => values[name]));
      return { seq: Number(lastInsertRowid), ...row };
    },
    /** Writes every field of the row with this `seq`. */
    update: async (row: Row): Promise<void> => {
      update.run(row);
    },
  };
}

/**
 * Finds records that have an id, an owner and a status.
 *
 * @param select selects whole records of the table; conditions follow it
 * @param conditionsOf the conditions of a filter that are special to the table
 */
export function recordFinder<
  Row extends { readonly status: string },
  Filter extends RecordFilter<Row['status']>,
>(
  database: Connection,
  table: string,
  select: string,
  conditionsOf: (filter: Omit<Filter, 'limit'>) => readonly Condition[],
) {
  const whereIn = (filter: Omit<Filter, 'limit'>): Where =>
    whereOf([
      equals('status', filter.statuses),
      equals('owner_key', filter.ownerKey),
      atLeast('created_at', filter.sinceMs),
      below('created_at', filter.beforeMs),
      ...conditionsOf(filter),
    ]);
  const byId = database.prepare<[{ readonly id: string }], Row>(`${select} WHERE ${ID_IS}`);
  return {
    byId: async (id: string) => byId.get({ id }),
    /** At most two, which is enough to know that a prefix is ambiguous. */
    byPrefix: async (prefix: string): Promise<readonly Row[]> => {
      const start = idPrefix(prefix);
      if (start === undefined) return [];
      return database
        .prepare<[string], Row>(`${select} WHERE id GLOB ? ORDER BY seq DESC LIMIT 2`)
        .all(`${start}*`);
    },
    /** Newest first. */
    list: async (filter: Filter) => {
      const { sql, values } = whereIn(filter);
      return database
        .prepare<unknown[], Row>(`${select} ${sql} ORDER BY seq DESC LIMIT ?`)
        .all(...values, filter.limit);
    },
    count: async (filter: Omit<Filter, 'limit'>) => {
      const { sql, values } = whereIn(filter);
      const count = database.prepare<unknown[], number>(`SELECT count(*) FROM ${table} ${sql}`);
      return count.pluck().get(...values) ?? 0;
    },
    countsByStatus: async () =>
      database
        .prepare<[], [Row['status'], number]>(
          `SELECT status, count(*) FROM ${table} GROUP BY status`,
        )
        .raw()
        .all(),
  };
}

/** The SQL of a condition, and the value it binds; a list binds all its values. */
type Condition = readonly [sql: (marks: string) => string, value: unknown];

interface Where {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** `column = ?`, or `column IN (?, …)` for a list. */
export function equals(column: string, value: unknown): Condition {
  return [(marks) => `${column} ${Array.isArray(value) ? 'IN' : '='} ${marks}`, value];
}

/** `column >= ?` */
export function atLeast(column: string, value: unknown): Condition {
  return [(marks) => `${column} >= ${marks}`, value];
}

/** `column < ?` */
function below(column: string, value: unknown): Condition {
  return [(marks) => `${column} < ${marks}`, value];
}

/** A WHERE clause of the conditions that have a value. */
export function whereOf(conditions: readonly Condition[]): Where {
  const parts: string[] = [];
  const values: unknown[] = [];
  for (const [sql, value] of conditions) {
    if (value === undefined) continue;
    if (Array.isArray(value)) {
      parts.push(sql(`(${value.map(() => '?').join(', ')})`));
      values.push(...value);
    } else {
      parts.push(sql('?'));
      values.push(value);
    }
  }
  return { sql: parts.length === 0 ? '' : `WHERE ${parts.join(' AND ')}`, values };
}

/** Finds the id bound as `@id` through its index, which starts with the tail of ids. */
export const ID_IS = `substr(id, ${ID_MOMENT_AT + 1}) = substr(@id, ${ID_MOMENT_AT + 1}) AND id = @id`;

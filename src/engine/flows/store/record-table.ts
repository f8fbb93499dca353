import type { Connection } from '../../sqlite/database.js';

/** Which column of a table holds which field of a record. */
export type Columns<Row> = { readonly [Field in keyof Row]-?: string };

/** `SELECT … FROM table`, giving whole records. */
export function selectFrom<Row>(table: string, columns: Columns<Row>): string {
  const fields = Object.entries<string>(columns).map(([field, column]) => `${column} AS ${field}`);
  return `SELECT ${fields.join(', ')} FROM ${table}`;
}

/** The statements that every table of records has. */
export interface RecordTable<Row> {
  /** @returns the `seq` of the new row */
  readonly insert: (row: Omit<Row, 'seq'>) => number;
  /** Writes every field of the row with this `seq`. */
  readonly update: (row: Row) => void;
}

/** Makes the statements of a table whose primary key is `seq`. */
export function recordTable<Row extends { readonly seq: number }>(
  database: Connection,
  table: string,
  columns: Columns<Row>,
): RecordTable<Row> {
  const own = Object.entries<string>(columns).filter(([field]) => field !== 'seq');
  const insert = database.prepare<[Omit<Row, 'seq'>]>(
    `INSERT INTO ${table} (${own.map(([, column]) => column).join(', ')})
     VALUES (${own.map(([field]) => `@${field}`).join(', ')})`,
  );
  const update = database.prepare<[Row]>(
    `UPDATE ${table} SET ${own.map(([field, column]) => `${column} = @${field}`).join(', ')}
     WHERE seq = @seq`,
  );
  return {
    insert: (row) => Number(insert.run(row).lastInsertRowid),
    update: (row) => {
      update.run(row);
    },
  };
}

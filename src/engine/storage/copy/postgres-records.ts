import type { Server } from '../../postgres/index.js';
import {
  type CopiedTable,
  type HighWaterMark,
  highWaterMarkSql,
  newerSql,
  PAGE_CHARACTERS,
  pageSql,
  type RecordRow,
  type RecordStore,
  rowsOf,
  writtenColumns,
} from './record-tables.js';

/** The rows of a table on the server. */
export function postgresRecords(server: Server, table: CopiedTable): RecordStore {
  const rows = rowsOf(table, 'svc.');
  const order = table.order.join(', ');
  const read = (isFirst: boolean): string => {
    const page = pageSql(table, rows, isFirst, (at) => `$${at + 1}`);
    return `SELECT * FROM (
        SELECT page.*, sum(length(page::text)) OVER (ORDER BY ${order}) - length(page::text) AS before
        FROM (${page}) AS page) AS sized
      WHERE before < ${PAGE_CHARACTERS} ORDER BY ${order}`;
  };
  return {
    count: async () => {
      const [row] = await server.query<{ readonly count: number }>(
        `SELECT count(*) AS count FROM ${rows} AS own`,
      );
      return row?.count ?? 0;
    },
    page: async (after) =>
      after === undefined
        ? server.query<RecordRow>(read(true))
        : server.query<RecordRow>(
            read(false),
            table.order.map((column) => after[column]),
          ),
    find: (page) =>
      server.query<RecordRow>(
        `SELECT there.* FROM ${rows} AS there JOIN ${rowsOfParameter(table)} USING (${table.key.join(', ')})`,
        [JSON.stringify(page)],
      ),
    write: (page) =>
      server.transaction((transaction) =>
        transaction.run(upsertSql(table), [JSON.stringify(page)]),
      ),
    id: async () => {
      const [row] = await server.query<{ readonly id: string }>('SELECT id FROM svc.store');
      return row?.id ?? '';
    },
    highWaterMark: async () => {
      if (table.createdColumn === undefined) return undefined;
      const [mark] = await server.query<HighWaterMark>(highWaterMarkSql(table, rows));
      return mark;
    },
    copiedFrom: async (source) => {
      const [mark] = await server.query<HighWaterMark>(
        'SELECT seq, at FROM svc.copies WHERE source = $1 AND part = $2',
        [source, table.name],
      );
      return mark;
    },
    noteCopied: async (source, { seq, at }) => {
      await server.transaction((transaction) =>
        transaction.run(
          `INSERT INTO svc.copies (source, part, seq, at) VALUES ($1, $2, $3, $4)
           ON CONFLICT (source, part) DO UPDATE SET seq = excluded.seq, at = excluded.at`,
          [source, table.name, seq, at],
        ),
      );
    },
  };
}

/** The rows of `$1`. */
function rowsOfParameter({ columns }: CopiedTable): string {
  const typed = columns.map(({ name, isNumber }) => `${name} ${isNumber ? 'bigint' : 'text'}`);
  return `json_to_recordset($1::json) AS given (${typed.join(', ')})`;
}

function upsertSql(table: CopiedTable): string {
  const columns = writtenColumns(table);
  const key = table.isKeyedByFlow === true ? table.order : table.key;
  const hasFlow = table.localColumns.includes('flow_seq');
  const flow = 'coalesce((SELECT seq FROM svc.flows WHERE id = given.flow_id), 0)';
  return `INSERT INTO svc.${table.name} AS there
      (${[...columns, ...(hasFlow ? ['flow_seq'] : [])].join(', ')})
    SELECT ${[...columns, ...(hasFlow ? [flow] : [])].join(', ')} FROM ${rowsOfParameter(table)}
    ORDER BY ${table.order.map((name) => `given.${name}`).join(', ')}
    ON CONFLICT (${key.join(', ')}) DO UPDATE
      SET ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}
    WHERE ${newerSql(table, 'there')}`;
}

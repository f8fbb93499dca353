import type { Server } from '../../postgres/index.js';
import {
  type CopiedTable,
  localKey,
  orderOf,
  PAGE_CHARACTERS,
  pageSql,
  type RecordRow,
  type RecordStore,
  recordsOf,
  rowsOf,
  upsertSql,
} from './record-tables.js';

const SCHEMA = 'svc.';

/** The rows of a table on the server. */
export function postgresRecords(server: Server, table: CopiedTable): RecordStore {
  const order = orderOf(table);
  const given = rowsOfParameter(table);
  const read = (isFirst: boolean): string => {
    const page = pageSql(table, SCHEMA, isFirst, (_, at) => `$${at + 1}`);
    return `SELECT * FROM (
        SELECT page.*, sum(length(page::text)) OVER (ORDER BY ${order.join(', ')}) - length(page::text) AS before
        FROM (${page}) AS page) AS sized
      WHERE before < ${PAGE_CHARACTERS} ORDER BY ${order.join(', ')}`;
  };
  const same = `SELECT there.* FROM ${rowsOf(table, SCHEMA)} AS there JOIN ${given} USING (${table.key.join(', ')})`;
  const flow = 'coalesce((SELECT seq FROM svc.flows WHERE id = given.flow_id), 0)';
  const rows = (columns: readonly string[]): string =>
    `SELECT ${columns.map((name) => (name === 'flow_seq' ? flow : name)).join(', ')} FROM ${given}
     ORDER BY ${order.map((name) => `given.${name}`).join(', ')}`;
  const upsert = upsertSql(table, SCHEMA, rows, `(${localKey(table).join(', ')})`);
  return {
    ...recordsOf(server, table, SCHEMA),
    page: async (after) =>
      after === undefined
        ? server.query<RecordRow>(read(true))
        : server.query<RecordRow>(
            read(false),
            order.map((column) => after[column]),
          ),
    find: (page) => server.query<RecordRow>(same, [JSON.stringify(page)]),
    write: (page) => server.run(upsert, [JSON.stringify(page)]),
  };
}

/** The rows of `$1`. */
function rowsOfParameter({ columns }: CopiedTable): string {
  const typed = Object.entries(columns).map((column) => column.join(' '));
  return `json_to_recordset($1::json) AS given (${typed.join(', ')})`;
}

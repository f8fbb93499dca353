import type { Server } from '../../postgres/index.js';
import type { CopySource, CopyTarget } from './copy-part.js';
import {
  copiedColumns,
  newerSql,
  pageSql,
  type RecordRow,
  type RecordTable,
} from './record-tables.js';

export function postgresRecords(
  server: Server,
  table: RecordTable,
): CopySource<RecordRow> & CopyTarget<RecordRow> {
  const name = `svc.${table.name}`;
  const read = (isFirst: boolean): string => pageSql(table, name, isFirst, (at) => `$${at + 1}`);
  return {
    count: async () => {
      const [row] = await server.query<{ readonly count: number }>(
        `SELECT count(*) AS count FROM ${name}`,
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
    find: (rows) =>
      server.query<RecordRow>(
        `SELECT there.* FROM ${name} AS there JOIN ${given(table)} USING (${table.key.join(', ')})`,
        [JSON.stringify(rows)],
      ),
    write: (rows) =>
      server.transaction((transaction) =>
        transaction.run(upsertSql(table), [JSON.stringify(rows)]),
      ),
  };
}

/** The rows of `$1`. */
function given({ columns }: RecordTable): string {
  const typed = columns.map(({ name, isNumber }) => `${name} ${isNumber ? 'bigint' : 'text'}`);
  return `json_to_recordset($1::json) AS given (${typed.join(', ')})`;
}

function upsertSql(table: RecordTable): string {
  const columns = copiedColumns(table);
  const hasFlow = table.own.includes('flow_seq');
  const flow = 'coalesce((SELECT seq FROM svc.flows WHERE id = given.flow_id), 0)';
  return `INSERT INTO svc.${table.name} AS there
      (${[...columns, ...(hasFlow ? ['flow_seq'] : [])].join(', ')})
    SELECT ${[...columns, ...(hasFlow ? [flow] : [])].join(', ')} FROM ${given(table)}
    ORDER BY ${table.order.map((name) => `given.${name}`).join(', ')}
    ON CONFLICT (${table.key.join(', ')}) DO UPDATE
      SET ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}
    WHERE ${newerSql(table, 'excluded', 'there')}`;
}

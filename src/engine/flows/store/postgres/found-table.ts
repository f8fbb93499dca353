import type { Fields } from '../../../flow-model/fields.js';
import { idPrefix } from '../../../flow-model/ids.js';
import type { FlowFilter, RecordFilter, TaskFilter } from '../../flow-store.js';
import type { Question, Turn } from './batch.js';
import { recordWriter, selected } from './record-sql.js';

/** A table of records, with the statements that all changes share. */
export function foundTable<Row extends FoundRow>(
  table: 'svc.flows' | 'svc.tasks',
  fields: Fields,
): FoundSql<Row> {
  const where = `WHERE ($1::text[] IS NULL OR status = ANY($1))
    AND ($2::text IS NULL OR owner_key = $2) AND ($3::bigint IS NULL OR created_at >= $3)
    AND ($4::bigint IS NULL OR created_at < $4)
    ${
      table === 'svc.tasks'
        ? 'AND ($5::text[] IS NULL OR runtime = ANY($5)) AND $6::text IS NULL'
        : `AND $5::text[] IS NULL AND ($6::text IS NULL OR route_id = $6)`
    }`;
  const columns = selected(table, fields);
  return {
    ...recordWriter<Row>(table, fields),
    list: `SELECT ${columns} FROM ${table} ${where} ORDER BY seq DESC LIMIT $7`,
    count: `SELECT count(*)::int AS count FROM ${table} ${where}`,
    byPrefix: `SELECT ${columns} FROM ${table} WHERE id LIKE $1 ORDER BY seq DESC LIMIT 2`,
    statuses: `SELECT status, count(*)::int AS count FROM ${table} GROUP BY status`,
  };
}

interface FoundRow {
  readonly seq: number;
  readonly status: string;
}

interface FoundSql<Row extends FoundRow> {
  readonly insert: Question<Omit<Row, 'seq'>, number>;
  readonly update: Question<Row, undefined>;
  readonly list: string;
  readonly count: string;
  readonly byPrefix: string;
  readonly statuses: string;
}

/** What the tables of flows and tasks have in common. */
export abstract class FoundTable<Row extends FoundRow, Filter extends RecordFilter<Row['status']>> {
  protected readonly turn: Turn;
  private readonly sql: FoundSql<Row>;

  constructor(turn: Turn, sql: FoundSql<Row>) {
    this.turn = turn;
    this.sql = sql;
  }

  abstract byId(id: string): Promise<Row | undefined>;

  async insert<New extends Omit<Row, 'seq'>>(row: New): Promise<New & { readonly seq: number }> {
    const seq = await this.turn.batch.ask(this.sql.insert, row);
    return { seq, ...row };
  }

  async update(row: Row): Promise<void> {
    await this.turn.batch.ask(this.sql.update, row);
  }

  async byPrefix(prefix: string): Promise<readonly Row[]> {
    const start = idPrefix(prefix);
    if (start === undefined) return [];
    const found = await this.turn.batch.query<Row>(this.sql.byPrefix, [`${start}%`]);
    const [only] = found;
    if (only === undefined || found.length > 1) return found;
    // A change needs it locked.
    const locked = await this.byId(this.idOf(only));
    return locked === undefined ? [] : [locked];
  }

  list(filter: Filter): Promise<readonly Row[]> {
    return this.turn.batch.query<Row>(this.sql.list, [...valuesOf(filter), filter.limit]);
  }

  async count(filter: Omit<Filter, 'limit'>): Promise<number> {
    const [row] = await this.turn.batch.query<{ count: number }>(this.sql.count, valuesOf(filter));
    return row?.count ?? 0;
  }

  async countsByStatus(): Promise<readonly (readonly [Row['status'], number])[]> {
    const rows = await this.turn.batch.query<{ status: Row['status']; count: number }>(
      this.sql.statuses,
    );
    return rows.map(({ status, count }) => [status, count]);
  }

  protected abstract idOf(row: Row): string;
}

function valuesOf(
  filter: Omit<RecordFilter<string>, 'limit'> &
    Pick<FlowFilter, 'route'> &
    Pick<TaskFilter, 'runtimes'>,
) {
  const { statuses, ownerKey, sinceMs, beforeMs, runtimes, route } = filter;
  return [statuses, ownerKey, sinceMs, beforeMs, runtimes, route].map((value) => value ?? null);
}

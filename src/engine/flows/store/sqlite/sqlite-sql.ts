import type { NewHistoryEntry } from '../../../flow-model/history-record.js';
import { ID_MOMENT_AT } from '../../../flow-model/ids.js';
import {
  TASK_RUNTIMES,
  type TaskRecord,
  type TaskRuntime,
} from '../../../flow-model/task-record.js';
import type { Connection } from '../../../sqlite/database.js';
import { HISTORY } from '../flow-table.js';
import {
  assignments,
  columnList,
  type Dialect,
  type Lookup,
  placeholders,
  type StoreSql,
  valuesOf,
} from '../store-sql.js';
import { type AnswerRows, type StoredAnswer, type Tables, tablesOf } from '../tables.js';
import { selectTask, type TaskQueue } from '../task-table.js';

const DIALECT: Dialect = {
  schema: '',
  greatest: 'max',
  locks: false,
  // The indexes of these ids start with their tail.
  isKey: (column) =>
    column === 'flows.id' || column === 'tasks.id'
      ? `substr(${column}, ${ID_MOMENT_AT + 1}) = substr($1, ${ID_MOMENT_AT + 1}) AND ${column} = $1`
      : `${column} = $1`,
  isOneOf: (column, place) => `${column} IN (SELECT value FROM json_each(${place}))`,
  forUpdate: () => '',
  forUpdateSkipLocked: () => '',
};

/** The tables. Callers hold a transaction where they write. */
export function sqliteTables(sql: StoreSql): Tables {
  return tablesOf(sql, taskQueue(sql), answerRows(sql));
}

/** Runs the statements of the tables, each of which is compiled once. */
export function sqliteSql(database: Connection): StoreSql {
  const statements = new Map<unknown, Statement>();
  const compiled = (key: unknown, textOf: () => string): Statement => {
    const known = statements.get(key) ?? compile(database, textOf());
    statements.set(key, known);
    return known;
  };
  return {
    ...DIALECT,
    query: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
      compiled(text, () => text).all<Row>(values),
    run: async (text, values = []) => compiled(text, () => text).run(values).changes,
    find: async <K extends number | string, Row extends object>(lookup: Lookup<K, Row>, key: K) =>
      compiled(lookup, () => lookup.sql(DIALECT)).all<Row>([key]),
    insert: async (table, row) => {
      const { name, writtenColumns } = table;
      const insert = compiled(
        `insert ${name}`,
        () =>
          `INSERT INTO ${name} (${columnList(writtenColumns)}) VALUES (${placeholders(writtenColumns)})`,
      );
      return Number(insert.run(valuesOf(row, writtenColumns)).lastInsertRowid);
    },
    update: async ({ name, writtenColumns }, row) => {
      const text = () => `UPDATE ${name} SET ${assignments(writtenColumns, 2)} WHERE seq = $1`;
      compiled(`update ${name}`, text).run([row.seq, ...valuesOf(row, writtenColumns)]);
    },
    // The changes of a transaction run one after the other, and nobody else writes meanwhile.
    takeTurn: async () => undefined,
    takeTarget: async () => undefined,
  };
}

type Statement = ReturnType<typeof compile>;

/** A statement with `$1`, `$2` … whose values are bound by place: looking up names takes a fifth of an insert. */
function compile(database: Connection, text: string) {
  const order: number[] = [];
  const statement = database.prepare(
    text.replaceAll(/\$(\d+)/gu, (_, place) => {
      order.push(Number(place) - 1);
      return '?';
    }),
  );
  const inOrder = (values: readonly unknown[]): unknown[] =>
    order.map((at) => (Array.isArray(values[at]) ? JSON.stringify(values[at]) : values[at]));
  return {
    // The text of a statement decides what its rows are.
    all: <Row extends object>(values: readonly unknown[]) =>
      statement.all(...inOrder(values)) as Row[],
    run: (values: readonly unknown[]) => statement.run(...inOrder(values)),
  };
}

/** The first column is `flow_seq`. */
const INSERT_ENTRY = `INSERT INTO history (n, ${columnList(HISTORY.writtenColumns)})
  VALUES ((SELECT coalesce(max(n), 0) + 1 FROM history WHERE flow_seq = $1), ${placeholders(HISTORY.writtenColumns)})`;

/** Adds what the changes of a transaction noted, in their order. */
export async function appendHistory(
  { run }: StoreSql,
  entries: readonly NewHistoryEntry[],
): Promise<void> {
  for (const entry of entries) await run(INSERT_ENTRY, valuesOf(entry, HISTORY.writtenColumns));
}

function answerRows({ query, run }: StoreSql): AnswerRows {
  return {
    find: async ({ ownerKey, action, key }, nowMs) => {
      const [kept] = await query<StoredAnswer>(
        `SELECT body_hash AS bodyHash, answer FROM answers
         WHERE owner_key = $1 AND action = $2 AND key = $3 AND expires_at > $4`,
        [ownerKey, action, key, nowMs],
      );
      return kept;
    },
    store: async ({ ownerKey, action, key }, { bodyHash, answer }, expiresAt) => {
      await run(
        `INSERT OR REPLACE INTO answers (owner_key, action, key, body_hash, answer, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6)`,
        [ownerKey, action, key, bodyHash, answer, expiresAt],
      );
    },
  };
}

function taskQueue(sql: StoreSql): TaskQueue {
  const { query } = sql;
  const queued = `${selectTask(sql)} WHERE status = 'queued' AND runtime = $1
    AND (next_run_at IS NULL OR next_run_at <= $2) AND ($3 IS NULL OR agent_id = $3)
    ORDER BY seq LIMIT 1`;
  const expired = `${selectTask(sql)} WHERE lease_expires_at < $1
    AND (last_event_at >= $2 OR lease_expires_at < $1 - $3) ORDER BY lease_expires_at LIMIT $4`;
  return {
    nextQueued: async (nowMs, { runtimes = TASK_RUNTIMES, agentId = null }) => {
      // Few claims find any: they are left out here, so that no claim reads a long queue that waits.
      const paused = await query<{ runtime: TaskRuntime }>('SELECT runtime FROM pauses');
      const waiting = runtimes.filter((name) => !paused.some(({ runtime }) => runtime === name));
      const first = await Promise.all(
        waiting.map((runtime) => query<TaskRecord>(queued, [runtime, nowMs, agentId])),
      );
      return first.flat().sort((a, b) => a.seq - b.seq)[0];
    },
    expired: ({ nowMs, jump }, limit) => {
      const { atMs = 0, byMs = 0 } = jump ?? {};
      return query<TaskRecord>(expired, [nowMs, atMs, byMs, limit]);
    },
  };
}

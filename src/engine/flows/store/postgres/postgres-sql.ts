import { type Fields, isNumeric } from '../../../flow-model/fields.js';
import type { NewHistoryEntry } from '../../../flow-model/history-record.js';
import { HISTORY } from '../flow-table.js';
import {
  assignments,
  columnList,
  type Dialect,
  type Lookup,
  type RecordTable,
  type StoreSql,
  valuesOf,
} from '../store-sql.js';
import {
  type AnswerKey,
  type AnswerRows,
  type StoredAnswer,
  type Tables,
  tablesOf,
} from '../tables.js';
import type { Batch, Turn } from './batch.js';
import { taskQueue } from './task-queue.js';

/** Any number that only those who take notifications use: "svct". */
const TAKE_TARGET_LOCK = 0x73766374;

/** The tables as one change or one read sees them. */
export function postgresTables(turn: Turn): Tables {
  const sql = postgresSql(turn);
  return tablesOf(sql, taskQueue(sql, turn.batch), answerRows(turn));
}

function postgresSql(turn: Turn): StoreSql {
  const { batch } = turn;
  const { locks } = batch;
  const sql: StoreSql = {
    schema: 'svc.',
    greatest: 'greatest',
    locks,
    isKey: (column) => `${column} = ANY($1)`,
    isOneOf: (column, place) => `${column} = ANY(${place})`,
    forUpdate: (table) => (locks ? `FOR UPDATE OF ${table}` : ''),
    forUpdateSkipLocked: (...tables) => `FOR UPDATE OF ${tables.join(', ')} SKIP LOCKED`,
    query: (text, values) => batch.query(text, values),
    run: (text, values) => batch.run(text, values),
    find: (lookup, key) => batch.load(lookup, (keys) => rowsOf(batch, sql, lookup, keys), key),
    insert: (table, row) =>
      batch.load(`insert ${table.name}`, (rows) => insertAll(batch, table, rows), row),
    update: (table, row) =>
      batch.load(`update ${table.name}`, (rows) => updateAll(batch, table, rows), row),
    takeTurn: (kind, id) => turn.take(kind, id),
    takeTarget: async (target) => {
      // A statement of its own: the next one must see what another host has just taken.
      await batch.query(`SELECT pg_advisory_xact_lock(${TAKE_TARGET_LOCK}, hashtext($1))`, [
        target,
      ]);
    },
  };
  return sql;
}

/** The rows of each key, in the order of the statement. */
async function rowsOf<K extends number | string, Row extends object>(
  batch: Batch,
  dialect: Dialect,
  lookup: Lookup<K, Row>,
  keys: readonly K[],
): Promise<readonly (readonly Row[])[]> {
  const found = new Map<K, Row[]>(keys.map((key) => [key, []]));
  for (const row of await batch.query<Row>(lookup.sql(dialect), [[...found.keys()]])) {
    found.get(lookup.keyOf(row))?.push(row);
  }
  return keys.map((key) => found.get(key) ?? []);
}

/** @returns the `seq` of each */
async function insertAll(
  batch: Batch,
  { name, writtenColumns, fields, columns, keyFields }: RecordTable,
  rows: readonly object[],
): Promise<readonly number[]> {
  const names = writtenColumns.map(([field]) => field);
  const identifying = columns.filter(([field]) => keyFields.includes(field));
  const inserted = await batch.query<{ readonly seq: number }>(
    `INSERT INTO svc.${name} (${columnList(writtenColumns)})
     SELECT ${rowColumns(names)} FROM ${jsonRows(fields, names)}
     RETURNING seq, ${identifying.map(([field, column]) => `${column} AS "${field}"`).join(', ')}`,
    [toJson(rows)],
  );
  const keyOf = (row: object): string => valuesOf(row, identifying).join('\n');
  const seqs = new Map(inserted.map((row) => [keyOf(row), row.seq]));
  return rows.map((row) => seqs.get(keyOf(row)) ?? 0);
}

/**
 * Writes every field of rows. A single row is the most frequent case, and takes half the time without JSON. The
 * planner knows the length of a list, but not that of JSON.
 */
async function updateAll(
  batch: Batch,
  { name, writtenColumns, fields }: RecordTable,
  rows: readonly { readonly seq: number }[],
): Promise<readonly undefined[]> {
  const [only] = rows;
  if (only !== undefined && rows.length === 1) {
    const text = `UPDATE svc.${name} SET ${assignments(writtenColumns, 2)} WHERE seq = $1`;
    await batch.run(text, [only.seq, ...valuesOf(only, writtenColumns)]);
  } else {
    const names = writtenColumns.map(([field]) => field);
    await batch.run(
      `UPDATE svc.${name} SET ${writtenColumns.map(([field, column]) => `${column} = r."${field}"`).join(', ')}
       FROM ${jsonRows(fields, ['seq', ...names])}
       WHERE ${name}.seq = r.seq AND ${name}.seq = ANY($2)`,
      [toJson(rows), rows.map(({ seq }) => seq)],
    );
  }
  return rows.map(() => undefined);
}

const ENTRY_FIELDS = HISTORY.writtenColumns.map(([field]) => field);

/**
 * The numbers come from a sequence, because claims of tasks of one flow do not wait for each other. They are higher
 * than all that another store has given: a flow that was copied goes on after its last entry. If that is ahead of the
 * sequence, the number of the sequence is added to it, so that claims at once still get different ones. Setting the
 * sequence would need a right that hosts do not have.
 */
const INSERT_ENTRY = `INSERT INTO svc.history (n, ${columnList(HISTORY.writtenColumns)})
  SELECT CASE WHEN r.next > last.n THEN r.next ELSE last.n + r.next END, ${rowColumns(ENTRY_FIELDS)}
  FROM (SELECT *, nextval('svc.history_n') AS next
    FROM (SELECT * FROM ${jsonRows(HISTORY.fields, ['n', ...ENTRY_FIELDS])} ORDER BY n) AS r) AS r
  CROSS JOIN LATERAL (
    SELECT coalesce(max(n), 0) AS n FROM svc.history WHERE flow_seq = r."flowSeq") AS last`;

/** Adds what the changes of a transaction noted, in their order. */
export async function appendHistory(
  batch: Batch,
  entries: readonly NewHistoryEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  await batch.run(INSERT_ENTRY, [toJson(entries.map((entry, at) => ({ n: at + 1, ...entry })))]);
}

/** The rows of `$1`, JSON, as `r`. */
function jsonRows(fields: Fields, names: readonly string[]): string {
  const columns = names.map((name) => `"${name}" ${isNumeric(fields[name]) ? 'bigint' : 'text'}`);
  return `json_to_recordset($1::json) AS r(${columns.join(', ')})`;
}

function rowColumns(names: readonly string[]): string {
  return names.map((name) => `r."${name}"`).join(', ');
}

/** JSON that PostgreSQL accepts: without NUL, and without halves of characters. */
function toJson(rows: readonly object[]): string {
  const text = JSON.stringify(rows);
  if (!/\\u(?:0000|d[89a-f])/u.test(text)) return text;
  return JSON.stringify(rows, (_name, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(/\0|\p{Surrogate}/gu, '\ufffd') : value,
  );
}

/** The answers for repeated requests. */
function answerRows(turn: Turn): AnswerRows {
  const { batch } = turn;
  return {
    find: async (key, nowMs) => {
      await turn.take('answer', keyText(key));
      return batch.load(findAnswers, (requests) => findAnswers(batch, requests), { ...key, nowMs });
    },
    store: async (key, answer, expiresAt) => {
      const kept = { ...key, ...answer, expiresAt };
      await batch.load(storeAnswers, (all) => storeAnswers(batch, all), kept);
    },
  };
}

interface AnswerRequest extends AnswerKey {
  readonly nowMs: number;
}

interface AnswerToStore extends AnswerKey, StoredAnswer {
  readonly expiresAt: number;
}

const KEYS = `json_to_recordset($1::json) AS r("ownerKey" text, action text, key text, "nowMs" bigint)`;

/**
 * The row of a key is inserted before its change is made, so that another host with the same key waits for it: when
 * the transaction of the first has ended, the second sees its answer, or makes the change itself.
 */
async function findAnswers(
  batch: Batch,
  requests: readonly AnswerRequest[],
): Promise<readonly (StoredAnswer | undefined)[]> {
  const keys = JSON.stringify(requests);
  const reserved = await batch.query<AnswerKey>(
    `INSERT INTO svc.answers AS a (owner_key, action, key, body_hash, answer, expires_at)
     SELECT "ownerKey", action, key, '', '', "nowMs" FROM ${KEYS}
     ORDER BY "ownerKey", action, key
     ON CONFLICT (owner_key, action, key) DO UPDATE SET expires_at = excluded.expires_at
       WHERE a.expires_at <= excluded.expires_at
     RETURNING owner_key AS "ownerKey", action, key`,
    [keys],
  );
  const reservedKeys = new Set(reserved.map(keyText));
  if (requests.every((key) => reservedKeys.has(keyText(key)))) return requests.map(() => undefined);
  const rows = await batch.query<AnswerKey & StoredAnswer>(
    `SELECT r."ownerKey", r.action, r.key, body_hash AS "bodyHash", answer
     FROM ${KEYS} JOIN svc.answers AS a
     ON (a.owner_key, a.action, a.key) = (r."ownerKey", r.action, r.key)`,
    [keys],
  );
  const found = new Map(rows.map((row) => [keyText(row), row]));
  return requests.map((key) =>
    reservedKeys.has(keyText(key)) ? undefined : found.get(keyText(key)),
  );
}

async function storeAnswers(
  batch: Batch,
  answers: readonly AnswerToStore[],
): Promise<readonly undefined[]> {
  await batch.run(
    `UPDATE svc.answers AS a
     SET body_hash = r."bodyHash", answer = r.answer, expires_at = r."expiresAt"
     FROM json_to_recordset($1::json) AS r("ownerKey" text, action text, key text,
       "bodyHash" text, answer text, "expiresAt" bigint)
     WHERE (a.owner_key, a.action, a.key) = (r."ownerKey", r.action, r.key)`,
    [JSON.stringify(answers)],
  );
  return answers.map(() => undefined);
}

function keyText({ ownerKey, action, key }: AnswerKey): string {
  return JSON.stringify([ownerKey, action, key]);
}

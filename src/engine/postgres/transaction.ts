import type { ClientBase, PoolClient } from 'pg';
import pg from 'pg';
import { messageOf, SvcError, systemErrorCode } from '../errors/index.js';
import { LONGEST_TIMER_MS } from '../support/time.js';
import { isConnectionLost, serverFault } from './server-fault.js';

/** Runs statements, each unnamed: poolers of transactions give each transaction any connection. */
export interface Sql {
  /**
   * Rows of a statement with `$1`, `$2` … for values. `bigint` and `numeric` arrive as numbers, `bytea` as Buffer.
   * Outside of a transaction it must only read: it runs again if the connection is lost.
   *
   * @throws SvcError STORAGE_*
   */
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** The number of rows that a statement changed. @throws SvcError STORAGE_* */
  run(text: string, values?: readonly unknown[]): Promise<number>;
}

/**
 * Selects a column of `double precision` as it is, whatever `extra_float_digits` the database has: its text could be
 * rounded to a few digits. Both parts have no more digits than a number that was cast to `numeric` keeps.
 */
export function exactDouble(column: string): string {
  return `(trunc(${column})::numeric + (${column} - trunc(${column}))::numeric)`;
}

/**
 * A transaction (READ COMMITTED). Its statements are sent at once and run in their order, so those that need no answer
 * of others can share a round trip. After one that fails, the rest fails as well: wait for all with `Promise.all`, which
 * throws what the first has thrown.
 */
export interface Transaction extends Sql {
  /** The server's clock when it began, in milliseconds since the epoch. */
  readonly nowMs: number;
}

/** How long the server works for a transaction, in milliseconds. */
interface TransactionLimits {
  /** For each statement. */
  readonly timeoutMs: number;
  /** For rows that other transactions keep; without a limit of its own when left out. */
  readonly lockWaitMs: number | undefined;
}

/** The code of whatever is sent after a statement that failed. */
const IN_FAILED_TRANSACTION = '25P02';
/** Share of a statement's time that it may wait for rows of other transactions. */
const LOCK_SHARE = 0.9;
/** A host that dies within a long transaction must not keep its locks for as long as its statements may take. */
const LONGEST_IDLE_MS = 300_000;

/**
 * Runs work in a transaction of a connection and commits it.
 *
 * @param fail throws what a failed statement throws in the work
 * @throws what the work throws, and SvcError STORAGE_UNCERTAIN; {@link rollBack} is up to the caller
 */
export async function transact<T>(
  client: PoolClient,
  work: (transaction: Transaction) => Promise<T>,
  limits: TransactionLimits,
  fail: (error: unknown) => never,
): Promise<T> {
  const nowMs = await begin(client, limits);
  let unanswered = 0;
  let first: { readonly error: unknown } | undefined;
  let timer: NodeJS.Timeout | undefined;
  // A statement waits for those before it, so its time begins with the last answer.
  const waitForNext = (): void => {
    clearTimeout(timer);
    if (unanswered === 0) return;
    timer = setTimeout(() => {
      client.connection.stream.destroy(new Error('Query read timeout'));
    }, limits.timeoutMs);
  };
  const sendNext = async <Row extends object>(text: string, values?: readonly unknown[]) => {
    unanswered += 1;
    if (unanswered === 1) waitForNext();
    const answer = send<Row>(client, text, values, LONGEST_TIMER_MS).catch(fail);
    const noted = answer.catch((error: unknown) => {
      first ??= { error };
      throw error;
    });
    return noted.finally(() => {
      unanswered -= 1;
      waitForNext();
    });
  };
  const result = await work({
    nowMs,
    query: async <Row extends object>(text: string, values?: readonly unknown[]) =>
      (await sendNext<Row>(text, values)).rows,
    run: async (text, values) => (await sendNext(text, values)).rowCount ?? 0,
  }).catch((error: unknown) => {
    // The work may have met first what failed because of it.
    const cause = error instanceof SvcError ? error.cause : error;
    throw systemErrorCode(cause) === IN_FAILED_TRANSACTION ? (first?.error ?? error) : error;
  });
  await commit(client);
  return result;
}

async function commit(client: ClientBase): Promise<void> {
  try {
    const { command } = await client.query('COMMIT');
    // After a failed statement, PostgreSQL rolls back and reports no error.
    if (command !== 'COMMIT') throw new Error('the transaction had failed');
  } catch (error) {
    if (!isConnectionLost(error) && serverFault(error) !== 'timeout') throw error;
    // What `pg` says of a connection that was lost before: the statement was not sent.
    if (messageOf(error).endsWith('not queryable')) throw error;
    throw new SvcError(
      'STORAGE_UNCERTAIN',
      `the connection to PostgreSQL was lost during a commit, so it may have been kept or not`,
      {
        hint: 'check whether the change is there, then try again',
        cause: error,
      },
    );
  }
}

/**
 * Begins a transaction, limits it, and reads the clock, in one round trip. A host that dies silently must not hold
 * its locks for ever.
 *
 * @returns milliseconds since the epoch
 */
async function begin(
  client: ClientBase,
  { timeoutMs, lockWaitMs }: TransactionLimits,
): Promise<number> {
  // 0 means no separate limit. It is below that of statements: otherwise, the error would not name the lock as its cause.
  const lockTimeoutMs =
    lockWaitMs === undefined
      ? 0
      : Math.max(1, Math.min(lockWaitMs, Math.floor(timeoutMs * LOCK_SHARE)));
  const results: unknown = await client.query(
    // As one SELECT, because each SET is a statement of its own: a fifth of an empty transaction. A stricter level, which
    // can be the default of a database, would not see what others have done while a statement waited for its turn.
    // Without array_nulls, a null in a list of values would become the text "NULL".
    `BEGIN ISOLATION LEVEL READ COMMITTED; SELECT set_config('statement_timeout', '${timeoutMs}', true),
       set_config('lock_timeout', '${lockTimeoutMs}', true), set_config('array_nulls', 'on', true),
       set_config('idle_in_transaction_session_timeout', '${Math.min(2 * timeoutMs, LONGEST_IDLE_MS)}', true),
       (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`,
  );
  const last: unknown = Array.isArray(results) ? results.at(-1) : undefined;
  const rows = last instanceof pg.Result ? last.rows : [];
  return Number(rows[0]?.now);
}

/** Rolls back. @returns as {@link brokenBy} */
export async function rollBack(client: ClientBase, error: unknown): Promise<Error | undefined> {
  const broken = brokenBy(error);
  if (broken !== undefined) return broken;
  try {
    await client.query('ROLLBACK');
    return undefined;
  } catch (failure) {
    return asError(failure);
  }
}

/**
 * Why a connection must not be used again after a failure, if it must not. After a lost connection or a timeout in the
 * process, later answers would be taken for others. A server that became read-only has been replaced by another one,
 * which only a new connection can reach.
 */
export function brokenBy(error: unknown): Error | undefined {
  const cause = error instanceof SvcError ? (error.cause ?? error) : error;
  const isOfServer = cause instanceof pg.DatabaseError;
  const fault = serverFault(cause);
  const isBroken =
    isConnectionLost(cause) || fault === 'read_only' || (fault === 'timeout' && !isOfServer);
  return isBroken ? asError(cause) : undefined;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/**
 * Without values, a text may have several statements.
 *
 * @param timeoutMs how long its answer may take; as long as the client waits for one when left out
 */
export async function send<Row extends object>(
  client: ClientBase,
  text: string,
  values: readonly unknown[] = [],
  timeoutMs?: number,
) {
  // Its types lack the timeout of a statement (node-postgres, pull request 3074).
  const statement = { text, query_timeout: timeoutMs };
  return client.query<Row>(statement, values.length === 0 ? undefined : [...values]);
}

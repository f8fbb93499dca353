import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CustomTypesConfig, PoolClient } from 'pg';
import pg from 'pg';
import { messageOf, SvcError, systemErrorCode } from '../errors/index.js';
import { sleepAtMost } from '../support/async.js';
import { backoffMs, runningMs } from '../support/time.js';
import { describeAddress, parseServerUrl, type ServerAddress } from './server-address.js';
import { asServerError, isConnectionLost, serverFault } from './server-fault.js';
import { brokenBy, rollBack, type Sql, send, type Transaction, transact } from './transaction.js';

/** How a server is used; see the configuration keys of the same names in `storage`. */
export interface ServerSettings {
  /** The connection URL, with its secrets. */
  readonly url: string;
  readonly poolSize: number;
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
}

/** Shows that a server is being connected to while `connect` runs, and returns what that does. */
export type ShowConnecting = <T>(server: string, connect: () => Promise<T>) => Promise<T>;

/** The connections of a server in this process. */
export type PoolUse = Server['poolUse'];

export interface TransactionOptions {
  /** How often a transaction is run again that met another one; 5 when left out. */
  readonly retries?: number;
  /** How long a statement waits for rows that other transactions keep, in milliseconds; without a limit of its own when left out. */
  readonly lockWaitMs?: number | undefined;
}

const CONFLICT_RETRIES = 5;
const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 5000;
const LONG_MS = 3_600_000;
/** After a server refused another connection, none is opened for so long while there are others. */
const FULL_MS = 1000;
/** Idle connections are closed after this. */
const IDLE_MS = 30_000;
/** The code of a connection that the server closed because it was idle. */
const IDLE_SESSION_TIMEOUT = '57P05';
/** What the pool says if none of its connections became free in time. */
const POOL_TIMEOUT = 'timeout exceeded when trying to connect';

/**
 * A PostgreSQL server: a bounded pool of connections. Statements fail with an SvcError that names host, port and
 * database, never the password. After a failed connection, further ones fail at once for a moment, which doubles up
 * to five seconds.
 */
export class Server implements Sql {
  readonly address: ServerAddress;
  /** Whether the URL has a password that would be sent unencrypted. */
  readonly exposesPassword: boolean;
  private readonly settings: ServerSettings;
  private readonly showConnecting: ShowConnecting;
  private readonly options: pg.ClientConfig;
  private readonly pool: pg.Pool;
  /** Connections that statements of this process have now. */
  private borrowed = 0;
  /** How often connecting has failed in a row. */
  private failures = 0;
  private failuresSoFar = 0;
  private failFastUntilMs = 0;
  private fullUntilMs = 0;
  private lastFailure: SvcError | undefined;
  /** Whether the server was lost since the last connection that worked. */
  private wasLost = false;
  private readonly reconnectCallbacks = new Set<() => void>();
  private closing: Promise<void> | undefined;

  /**
   * Connects with the first statement.
   *
   * @throws SvcError STORAGE_URL_INVALID
   */
  constructor(
    settings: ServerSettings,
    showConnecting: ShowConnecting = (_, connect) => connect(),
  ) {
    this.settings = settings;
    this.showConnecting = showConnecting;
    const { address, options } = parseServerUrl(settings.url);
    this.address = address;
    this.exposesPassword = options.password !== undefined && options.ssl === false;
    this.options = {
      ...options,
      application_name: 'svc',
      connectionTimeoutMillis: settings.connectTimeoutMs,
      // In the process: poolers refuse `statement_timeout` as a parameter of a connection.
      query_timeout: settings.statementTimeoutMs,
      keepAlive: true,
      // A transaction need not wait for the answer of each statement: on a server far away, that takes most of the time.
      pipeline: true,
      types: TYPES,
    };
    this.pool = new pg.Pool({
      ...this.options,
      max: settings.poolSize,
      idleTimeoutMillis: IDLE_MS,
      allowExitOnIdle: true,
    });
    this.pool.on('acquire', () => {
      this.borrowed += 1;
    });
    this.pool.on('release', () => {
      this.borrowed -= 1;
    });
    // A connection that broke while idle; the next statement opens another.
    this.pool.on('error', (error) => {
      if (systemErrorCode(error) !== IDLE_SESSION_TIMEOUT) this.noteLost(error);
    });
    // One that breaks between two statements of a transaction; the next statement fails.
    this.pool.on('connect', (client) => client.on('error', () => undefined));
  }

  async query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]> {
    return this.reading((sql) => sql.query<Row>(text, values));
  }

  /**
   * Runs statements that only read on one connection: those that are sent at once share a round trip. The work runs
   * again if the connection is lost.
   *
   * @throws SvcError STORAGE_*
   */
  async reading<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    for (let losses = 1; ; losses += 1) {
      const wasIdle = this.pool.idleCount > 0;
      try {
        return await this.withClient((client) =>
          work({
            query: async <Row extends object>(text: string, values?: readonly unknown[]) => {
              const answer = send<Row>(client, text, values).catch(this.throwServerError);
              return (await answer).rows;
            },
            run: (text, values) => this.run(text, values),
          }),
        );
      } catch (error) {
        const isLost = error instanceof SvcError && isConnectionLost(error.cause);
        if (!isLost || !this.mayReplace(losses, wasIdle)) throw error;
      }
    }
  }

  /** In a transaction of its own. */
  async run(text: string, values: readonly unknown[] = []): Promise<number> {
    return this.transaction((transaction) => transaction.run(text, values));
  }

  /**
   * Runs work in one transaction. It runs again if it met another transaction, or if the connection was lost before
   * the commit, so it must not change anything outside.
   *
   * @throws SvcError STORAGE_*; STORAGE_UNCERTAIN if the connection was lost during the commit
   */
  async transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    { retries = CONFLICT_RETRIES, lockWaitMs }: TransactionOptions = {},
  ): Promise<T> {
    for (let conflicts = 0, losses = 0; ; ) {
      const wasIdle = this.pool.idleCount > 0;
      try {
        const limits = { timeoutMs: this.settings.statementTimeoutMs, lockWaitMs };
        return await this.withClient(
          (client) => transact(client, work, limits, this.throwServerError),
          rollBack,
        );
      } catch (error) {
        const isUncertain = error instanceof SvcError && error.code === 'STORAGE_UNCERTAIN';
        const cause = error instanceof SvcError ? error.cause : error;
        if (serverFault(cause) === 'conflict') conflicts += 1;
        else if (!isUncertain && isConnectionLost(cause)) losses += 1;
        else throw error;
        if (conflicts > retries || !this.mayReplace(losses, wasIdle)) throw error;
      }
    }
  }

  /**
   * Whether to try again after so many lost connections. Of those that were idle, all can be dead, as after a machine
   * has slept; a statement that ends its connection must not do so again and again.
   */
  private mayReplace(losses: number, wasIdle: boolean): boolean {
    const isExpected = losses <= 1 || (wasIdle && losses <= this.settings.poolSize);
    return isExpected && !this.isFailingFast();
  }

  /**
   * Calls back for each notification of a channel, and after every (re)connection, when some may have been missed.
   * It is an accelerator only: behind a pooler nothing may ever arrive.
   *
   * @returns ends it
   */
  listen(channel: string, onNotified: () => void): () => Promise<void> {
    const stop = new AbortController();
    const ended = this.keepListening(channel, onNotified, stop.signal);
    return async () => {
      stop.abort();
      await ended;
    };
  }

  private async keepListening(
    channel: string,
    onNotified: () => void,
    signal: AbortSignal,
  ): Promise<void> {
    // One listener for all connections: there may be many in the life of a process.
    let socket = new Socket();
    signal.addEventListener('abort', () => socket.destroy(), { once: true });
    for (let failures = 0; !signal.aborted; failures += 1) {
      socket = new Socket();
      const client = new pg.Client({ ...this.options, stream: () => socket });
      const lost = new Promise<void>((resolve) => {
        client.on('error', () => resolve());
        client.on('end', () => resolve());
      });
      client.on('notification', onNotified);
      try {
        await client.connect();
        await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
        failures = 0;
        onNotified();
        await lost;
      } catch {
        // Without notifications, changes are found by polling.
      }
      // Nothing is in progress, and a server that hangs would never answer a farewell.
      socket.destroy();
      const delayMs = backoffMs(failures, FIRST_DELAY_MS, LONGEST_DELAY_MS);
      await sleepAtMost(delayMs, signal);
    }
  }

  /**
   * Calls back when the server answers again after it was lost. It may be another one by then, or have been
   * restored, so that it lacks what was committed last.
   *
   * @returns ends it
   */
  onReconnected(callback: () => void): () => void {
    this.reconnectCallbacks.add(callback);
    return () => this.reconnectCallbacks.delete(callback);
  }

  /** The same server for statements that may take an hour, such as building an index. The caller closes it. */
  forLongStatements(): Server {
    return new Server({ ...this.settings, poolSize: 1, statementTimeoutMs: LONG_MS });
  }

  /** Waits for statements in progress, and closes all connections. */
  close(): Promise<void> {
    this.closing ??= this.pool.end();
    return this.closing;
  }

  /** @param recover makes the connection usable after a failure, if it can be; see {@link rollBack} */
  private async withClient<T>(
    work: (client: PoolClient) => Promise<T>,
    recover: typeof rollBack = async (_, error) => brokenBy(error),
  ): Promise<T> {
    const connect = () => this.connect();
    const client = await (this.pool.totalCount > 0
      ? connect()
      : this.showConnecting(describeAddress(this.address), connect));
    if (this.wasLost) this.noteReconnected();
    let broken: Error | undefined;
    try {
      return await work(client);
    } catch (error) {
      broken = await recover(client, error);
      if (broken !== undefined) this.noteLost(broken);
      return this.throwServerError(error);
    } finally {
      client.release(broken);
    }
  }

  /** What this process does with its connections right now. */
  get poolUse() {
    const { totalCount, idleCount, waitingCount } = this.pool;
    return {
      inUse: totalCount - idleCount,
      idle: idleCount,
      /** Statements that wait for a connection. */
      waiting: waitingCount,
      /** How often a connection or a statement failed because of the server. */
      failures: this.failuresSoFar,
    };
  }

  private isFailingFast(): boolean {
    return runningMs() < this.failFastUntilMs;
  }

  /** Failures of the server as SvcError; anything else stays what it is. */
  private readonly throwServerError = (error: unknown): never => {
    const isOfServer = error instanceof pg.DatabaseError || serverFault(error) !== 'other';
    if (error instanceof SvcError || !isOfServer) throw error;
    this.failuresSoFar += 1;
    throw asServerError(error, this.address);
  };

  private async connect(): Promise<PoolClient> {
    const startedMs = runningMs();
    const untilMs = startedMs + this.settings.connectTimeoutMs;
    for (let refusals = 0; ; ) {
      if (this.isFailingFast() && this.lastFailure !== undefined) throw this.lastFailure;
      if (runningMs() >= this.fullUntilMs) this.pool.options.max = this.settings.poolSize;
      try {
        const client = await this.pool.connect();
        this.failures = 0;
        return client;
      } catch (error) {
        if (this.borrowed > 0 && messageOf(error) === POOL_TIMEOUT) {
          // Each of them ends by then, and a statement that takes long says nothing about the server.
          if (runningMs() < startedMs + this.settings.statementTimeoutMs) continue;
          throw this.poolExhausted();
        }
        this.failuresSoFar += 1;
        if (serverFault(error) !== 'crowded' || runningMs() >= untilMs) {
          throw this.failFastAfter(error);
        }
        refusals += 1;
        await this.waitWhileFull(refusals, untilMs);
      }
    }
  }

  private async waitWhileFull(refusals: number, untilMs: number): Promise<void> {
    const { totalCount } = this.pool;
    // The connections that this process has, or is just opening, must do for a while.
    if (totalCount > 0) {
      this.pool.options.max = totalCount;
      this.fullUntilMs = runningMs() + FULL_MS;
    }
    // Without any, another process may close one in time.
    const pauseMs = backoffMs(refusals, FIRST_DELAY_MS, FULL_MS);
    await sleep(Math.max(0, Math.min(pauseMs, untilMs - runningMs())));
  }

  /** One that is full, slow or read-only is still there: whoever fails because of that waits longer each time. */
  private noteLost(error: unknown): void {
    this.wasLost ||= !['crowded', 'read_only', 'timeout'].includes(serverFault(error));
  }

  private noteReconnected(): void {
    this.wasLost = false;
    for (const callback of this.reconnectCallbacks) callback();
  }

  private poolExhausted(): SvcError {
    const where = describeAddress(this.address);
    return new SvcError(
      'STORAGE_UNREACHABLE',
      `this process kept using all its connections to the PostgreSQL server ${where}`,
      { hint: 'try again, or raise storage.poolSize' },
    );
  }

  private failFastAfter(error: unknown): SvcError {
    const failure = asServerError(error, this.address);
    this.lastFailure = failure;
    this.failFastUntilMs = runningMs() + backoffMs(this.failures, FIRST_DELAY_MS, LONGEST_DELAY_MS);
    this.failures += 1;
    this.noteLost(error);
    return failure;
  }
}

/** `bigint` and `numeric` as numbers: all of ours are far below 2^53. */
const TYPES: CustomTypesConfig = {
  getTypeParser: (oid, format) => {
    const isNumber = oid === pg.types.builtins.INT8 || oid === pg.types.builtins.NUMERIC;
    return isNumber && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format);
  },
};

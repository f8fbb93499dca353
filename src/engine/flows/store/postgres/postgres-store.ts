import { setTimeout as sleep } from 'node:timers/promises';
import type { ResolvedConfig } from '../../../config/index.js';
import { openCurrentServer, type Server } from '../../../postgres/index.js';
import type { EngineContext } from '../../../support/context.js';
import { runningMs } from '../../../support/time.js';
import { flowPolicy } from '../../flow-policy.js';
import {
  ChangeListeners,
  type ChangeScope,
  type FlowPolicy,
  type FlowStore,
  type FlowsChange,
  type Work,
} from '../../flow-store.js';
import type { Tables } from '../tables.js';
import { Batch, Turn } from './batch.js';
import { BatchedCommits, WORK_CHANNEL } from './batched-commits.js';
import { postgresTables } from './postgres-sql.js';

/** However much is announced, waiters look no more often than this. */
const SHORTEST_REST_MS = 20;

/** Milliseconds since the epoch. */
const SERVER_NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** Flows on a PostgreSQL server that several hosts share. All times that decide anything are the server's. */
class PostgresFlowStore implements FlowStore {
  readonly policy: FlowPolicy;
  private readonly server: Server;
  private readonly commits: BatchedCommits;
  private readonly listeners = new ChangeListeners();
  /**
   * The server's clock minus one of this process that never jumps. That one stops while the machine sleeps, so the
   * difference is measured again with every transaction and every version.
   */
  private aheadMs = 0;
  private stopListening: (() => Promise<void>) | undefined;
  private readonly resting = new Set<AbortController>();
  private closing: Promise<void> | undefined;

  /** @param nowMs the server's time */
  constructor(server: Server, policy: FlowPolicy, nowMs: number) {
    this.server = server;
    this.policy = policy;
    this.setTime(nowMs);
    this.commits = new BatchedCommits({
      server,
      policy,
      onTime: (time) => this.setTime(time),
      onCommitted: (changes) => this.listeners.tell(changes),
    });
  }

  now(): number {
    return Math.floor(runningMs() + this.aheadMs);
  }

  write<T>(change: (work: Work) => Promise<T>, scope: ChangeScope = 'flow'): Promise<T> {
    return this.commits.run(change, scope);
  }

  async read<T>(query: (tables: Tables) => Promise<T>): Promise<T> {
    return await query(postgresTables(new Turn(new Batch(this.server, false))));
  }

  subscribe(listener: (change: FlowsChange) => void): () => void {
    return this.listeners.subscribe(listener);
  }

  /** Differs after every commit in the cluster, also those of others. */
  async version(): Promise<string> {
    const [row] = await this.server.query<{ version: string; now: number }>(
      `SELECT pg_current_snapshot()::text AS version, ${SERVER_NOW} AS now`,
    );
    if (row === undefined) return '';
    this.setTime(row.now);
    return row.version;
  }

  /** From the first rest on, a connection listens for announcements. */
  async rest(ms: number, signal: AbortSignal): Promise<void> {
    this.stopListening ??= this.server.listen(WORK_CHANNEL, () => {
      for (const waiter of this.resting) waiter.abort();
    });
    const woken = new AbortController();
    const wake = (): void => woken.abort();
    signal.addEventListener('abort', wake);
    this.resting.add(woken);
    await sleep(SHORTEST_REST_MS, undefined, { signal }).catch(() => undefined);
    await sleep(ms - SHORTEST_REST_MS, undefined, { signal: woken.signal }).catch(() => undefined);
    this.resting.delete(woken);
    signal.removeEventListener('abort', wake);
  }

  /** The connections are shared with others in this process, and stay. */
  close(): Promise<void> {
    this.closing ??= this.commits.drained().then(() => this.stopListening?.());
    return this.closing;
  }

  private setTime(serverMs: number): void {
    this.aheadMs = serverMs - runningMs();
  }
}

/** @throws SvcError STORAGE_* */
export async function openPostgresFlowStore(
  context: EngineContext,
  config: ResolvedConfig,
): Promise<FlowStore> {
  const server = await openCurrentServer(context, config);
  const [row] = await server.query<{ now: number }>(`SELECT ${SERVER_NOW} AS now`);
  return new PostgresFlowStore(server, flowPolicy(config), row?.now ?? Number.NaN);
}

import type { ResolvedConfig } from '../../../config/index.js';
import { openServer, readCurrent, type Sql } from '../../../postgres/index.js';
import { NEVER, SharedOpening, sleepAtMost } from '../../../support/async.js';
import type { EngineContext } from '../../../support/context.js';
import { runningMs } from '../../../support/time.js';
import { flowPolicy } from '../../flow-policy.js';
import { type FlowStore, POLL_MS } from '../../flow-store.js';
import { Batch, Turn } from './batch.js';
import { BatchedCommits, WORK_CHANNEL } from './batched-commits.js';
import { postgresTables } from './postgres-sql.js';

/** However much is announced, waiters look no more often than this. */
const SHORTEST_WAIT_MS = 20;

/** Milliseconds since the epoch. */
const SERVER_NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/**
 * Flows on a PostgreSQL server that several hosts share. All times that decide anything are the server's.
 *
 * @param canWait opens them although the server cannot be used now: until it can, what needs it fails
 * @throws SvcError STORAGE_URL_INVALID, SECRET_UNRESOLVED; STORAGE_*, unless it can wait
 */
export async function openPostgresFlowStore(
  context: EngineContext,
  config: ResolvedConfig,
  canWait: boolean,
): Promise<FlowStore> {
  const server = await openServer(context, config);
  const policy = flowPolicy(config);
  /**
   * The server's clock minus one of this process that never jumps. That one stops while the machine sleeps, so the
   * difference is measured again with every transaction and every version. Until then, it is that of this host.
   */
  let aheadMs = context.clock.now() - runningMs();
  const setTime = (serverMs: number): void => {
    aheadMs = serverMs - runningMs();
  };
  /** Differs after every commit in the cluster, also those of others. */
  const readVersion = async (sql: Sql = server): Promise<string> => {
    const [current] = await sql.query<{ version: string; now: number }>(
      `SELECT pg_current_snapshot()::text AS version, ${SERVER_NOW} AS now`,
    );
    if (current === undefined) return '';
    setTime(current.now);
    return current.version;
  };
  const opening = new SharedOpening(() => readCurrent(server, readVersion));
  const whenUsable = () => opening.get(NEVER);
  await whenUsable().catch((error: unknown) => {
    if (!canWait) throw error;
  });
  const commits = new BatchedCommits({ server, policy, onTime: setTime });
  const waiters = new Set<AbortController>();
  let stopListening: (() => Promise<void>) | undefined;
  let closing: Promise<void> | undefined;
  return {
    policy,
    now: () => Math.floor(runningMs() + aheadMs),
    write: async (change, scope = 'flow') => {
      await whenUsable();
      return commits.run(change, scope);
    },
    read: async (query) => {
      await whenUsable();
      return readCurrent(server, (sql) => query(postgresTables(new Turn(new Batch(sql, false)))));
    },
    version: async () => {
      await whenUsable();
      return readVersion();
    },
    /** From the first call on, a connection listens for announcements. */
    waitForWork: async (signal, mostMs = POLL_MS) => {
      stopListening ??= server.listen(WORK_CHANNEL, () => {
        for (const waiter of waiters) waiter.abort();
      });
      const waiter = new AbortController();
      const wake = (): void => waiter.abort();
      signal.addEventListener('abort', wake);
      waiters.add(waiter);
      await sleepAtMost(SHORTEST_WAIT_MS, signal);
      const restMs = Math.max(0, Math.min(POLL_MS, mostMs) - SHORTEST_WAIT_MS);
      await sleepAtMost(restMs, waiter.signal);
      waiters.delete(waiter);
      signal.removeEventListener('abort', wake);
    },
    /** The connections are shared with others in this process, and stay. */
    close: () => {
      closing ??= commits.waitUntilIdle().then(() => stopListening?.());
      return closing;
    },
  };
}

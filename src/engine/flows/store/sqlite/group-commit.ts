import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, databaseFault } from '../../../sqlite/database.js';
import { type QueuedChange, queueChange } from '../queued-change.js';
import { asFlowsError } from './open-database.js';

/** How changes of one database are committed together. */
interface GroupCommitOptions<Tx> {
  readonly database: Connection;
  /** What the changes of one transaction get; created for each transaction. */
  readonly newTransaction: () => Tx;
  /**
   * Resolves when everything committed so far would survive a power cut. When it rejects, so do the
   * callers that wait for it, although their changes are committed.
   */
  readonly sync: () => Promise<void>;
  /** Called when a commit is on disk, after its callers were answered. Must not throw. */
  readonly onCommitted: (tx: Tx) => void;
}

/** A transaction whose callers are answered when it is on disk. */
interface CommittedTransaction<Tx> {
  readonly jobs: readonly QueuedChange<Tx>[];
  readonly answers: readonly (() => void)[];
  readonly tx: Tx;
}

/** More than wait on a busy server; bounds how long others wait for the lock. */
const MOST_TOGETHER = 512;
const BUSY_WAIT_MS = 10;
/** Together with the timeout inside SQLite, about five seconds. */
const BUSY_TRIES = 160;

/**
 * Groups changes into transactions, because waiting for the disk takes longer than many changes. They stay
 * independent: when one fails, the transaction is rolled back and each change runs again on its own, so
 * that only the failing ones fail. A change can therefore run twice, and must read before it writes.
 *
 * A transaction's changes run one after the other and await only values that are there already, so it ends within
 * one turn of the event loop. A caller is answered when the commit is on disk; meanwhile the next transaction runs.
 *
 * A change that fails leaves nothing behind. A commit that could not be synced cannot be rolled back:
 * everybody sees it, and a power cut may undo it. Its callers get an error anyway, and must expect to find
 * the change when they try again.
 */
export function groupCommit<Tx>(options: GroupCommitOptions<Tx>) {
  const { database, newTransaction, sync, onCommitted } = options;
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const rollback = database.prepare('ROLLBACK');
  let queue: QueuedChange<Tx>[] = [];
  let isScheduled = false;
  let busyTries = 0;
  let committed: CommittedTransaction<Tx>[] = [];
  let isSyncing = false;
  let transaction: Promise<void> | undefined;

  const asError = (error: unknown): unknown => asFlowsError(error, database.name);
  const nextJobs = (): readonly QueuedChange<Tx>[] => {
    const firstAlone = queue.findIndex((job) => job.runsAlone);
    const together = firstAlone === -1 ? queue.length : Math.max(1, firstAlone);
    return queue.splice(0, Math.min(together, MOST_TOGETHER));
  };
  const rollBack = (jobs: readonly QueuedChange<Tx>[], error: unknown): void => {
    // SQLite rolls back some failed transactions itself.
    if (database.inTransaction) rollback.run();
    const [first] = jobs;
    if (jobs.length === 1 && first !== undefined) {
      first.reject(asError(error));
      return;
    }
    for (const job of jobs) job.runsAlone = true;
    queue.unshift(...jobs);
  };
  /** One sync at a time, each for all transactions that were committed before it. */
  const syncAll = async (): Promise<void> => {
    isSyncing = true;
    while (committed.length > 0) {
      const together = committed;
      committed = [];
      try {
        await sync();
      } catch (error) {
        for (const job of together.flatMap(({ jobs }) => jobs)) job.reject(asError(error));
        continue;
      }
      for (const { answers, tx } of together) {
        for (const answer of answers) answer();
        onCommitted(tx);
      }
    }
    isSyncing = false;
  };
  /** Runs the next changes in the transaction that has begun. Never rejects. */
  const transact = async (): Promise<void> => {
    const jobs = nextJobs();
    const tx = newTransaction();
    try {
      const answers: (() => void)[] = [];
      for (const job of jobs) answers.push(await job.change(tx));
      commit.run();
      committed.push({ jobs, answers, tx });
    } catch (error) {
      rollBack(jobs, error);
    }
    transaction = undefined;
    schedule();
    if (!isSyncing) void syncAll();
  };
  /** Begins a transaction; false if another process holds the lock. */
  const lock = (): boolean => {
    try {
      begin.run();
      busyTries = 0;
      return true;
    } catch (error) {
      busyTries += 1;
      if (databaseFault(error) === 'busy' && busyTries < BUSY_TRIES) {
        isScheduled = true;
        setTimeout(flush, BUSY_WAIT_MS);
        return false;
      }
      busyTries = 0;
      const failed = queue;
      queue = [];
      for (const job of failed) job.reject(asError(error));
      return false;
    }
  };
  const flush = (): void => {
    isScheduled = false;
    if (lock()) transaction = transact();
  };
  /** After all input of this turn of the event loop, so that it is grouped. */
  const schedule = (): void => {
    if (queue.length === 0 || isScheduled || transaction !== undefined) return;
    isScheduled = true;
    setImmediate(flush);
  };
  return {
    /**
     * Resolves when the change is on disk.
     *
     * @throws as {@link asFlowsError}: nothing was done, unless only the sync failed
     */
    run: <T>(change: (tx: Tx) => Promise<T>): Promise<T> =>
      queueChange(change, (job: QueuedChange<Tx>) => {
        queue.push(job);
        schedule();
      }),
    /** Resolves when no transaction is open: what is read then is committed. */
    betweenTransactions: async (): Promise<void> => {
      while (transaction !== undefined) await transaction;
    },
    /** Resolves when nothing is waiting. */
    waitUntilIdle: async (): Promise<void> => {
      const isBusy = (): boolean =>
        queue.length > 0 || transaction !== undefined || committed.length > 0 || isSyncing;
      while (isBusy()) await sleep(BUSY_WAIT_MS);
    },
  };
}

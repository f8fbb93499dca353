import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, databaseFault } from '../../../sqlite/database.js';
import { runningMs } from '../../../support/time.js';
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
/** How long changes wait for another process that writes. Senders of webhooks wait 10 seconds for their answer. */
const MOST_BUSY_MS = 5000;

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
export class GroupCommit<Tx> {
  private readonly options: GroupCommitOptions<Tx>;
  private readonly begin;
  private readonly commit;
  private readonly rollback;
  private queue: QueuedChange<Tx>[] = [];
  private isScheduled = false;
  /** When the lock was first refused. */
  private busySinceMs: number | undefined;
  private committed: CommittedTransaction<Tx>[] = [];
  private isSyncing = false;
  private transaction: Promise<void> | undefined;

  constructor(options: GroupCommitOptions<Tx>) {
    this.options = options;
    const { database } = options;
    this.begin = database.prepare('BEGIN IMMEDIATE');
    this.commit = database.prepare('COMMIT');
    this.rollback = database.prepare('ROLLBACK');
  }

  /**
   * Resolves when the change is on disk.
   *
   * @throws as {@link asFlowsError}: nothing was done, unless only the sync failed
   */
  run<T>(change: (tx: Tx) => Promise<T>): Promise<T> {
    return queueChange(change, (job) => {
      this.queue.push(job);
      this.schedule();
    });
  }

  /** Resolves when no transaction is open: what is read then is committed. */
  async betweenTransactions(): Promise<void> {
    while (this.transaction !== undefined) await this.transaction;
  }

  /** Resolves when nothing is waiting. */
  async waitUntilIdle(): Promise<void> {
    const isBusy = (): boolean =>
      this.queue.length > 0 ||
      this.transaction !== undefined ||
      this.committed.length > 0 ||
      this.isSyncing;
    while (isBusy()) await sleep(BUSY_WAIT_MS);
  }

  /** After all input of this turn of the event loop, so that it is grouped. */
  private schedule(): void {
    if (this.queue.length === 0 || this.isScheduled || this.transaction !== undefined) return;
    this.isScheduled = true;
    setImmediate(() => this.flush());
  }

  private flush(): void {
    this.isScheduled = false;
    if (this.lock()) this.transaction = this.transact();
  }

  /** Runs the next changes in the transaction that has begun. Never rejects. */
  private async transact(): Promise<void> {
    const jobs = this.nextJobs();
    const tx = this.options.newTransaction();
    try {
      const answers: (() => void)[] = [];
      for (const job of jobs) answers.push(await job.change(tx));
      this.commit.run();
      this.committed.push({ jobs, answers, tx });
    } catch (error) {
      this.rollBack(jobs, error);
    }
    this.transaction = undefined;
    this.schedule();
    if (!this.isSyncing) void this.syncAll();
  }

  /** One sync at a time, each for all transactions that were committed before it. */
  private async syncAll(): Promise<void> {
    this.isSyncing = true;
    while (this.committed.length > 0) {
      const together = this.committed;
      this.committed = [];
      try {
        await this.options.sync();
      } catch (error) {
        for (const { jobs } of together) {
          for (const job of jobs) job.reject(this.asError(error));
        }
        continue;
      }
      for (const { answers, tx } of together) {
        for (const answer of answers) answer();
        this.options.onCommitted(tx);
      }
    }
    this.isSyncing = false;
  }

  /** Begins a transaction; false if another process holds the lock. */
  private lock(): boolean {
    try {
      this.begin.run();
      this.busySinceMs = undefined;
      return true;
    } catch (error) {
      const nowMs = runningMs();
      this.busySinceMs ??= nowMs;
      if (databaseFault(error) === 'busy' && nowMs - this.busySinceMs < MOST_BUSY_MS) {
        this.isScheduled = true;
        setTimeout(() => this.flush(), BUSY_WAIT_MS);
        return false;
      }
      this.busySinceMs = undefined;
      const failed = this.queue;
      this.queue = [];
      for (const job of failed) job.reject(this.asError(error));
      return false;
    }
  }

  private nextJobs(): readonly QueuedChange<Tx>[] {
    const firstAlone = this.queue.findIndex((job) => job.runsAlone);
    const together = firstAlone === -1 ? this.queue.length : Math.max(1, firstAlone);
    return this.queue.splice(0, Math.min(together, MOST_TOGETHER));
  }

  private rollBack(jobs: readonly QueuedChange<Tx>[], error: unknown): void {
    // SQLite rolls back some failed transactions itself.
    if (this.options.database.inTransaction) this.rollback.run();
    const [first] = jobs;
    if (jobs.length === 1 && first !== undefined) {
      first.reject(this.asError(error));
      return;
    }
    for (const job of jobs) job.runsAlone = true;
    this.queue.unshift(...jobs);
  }

  private asError(error: unknown): unknown {
    return asFlowsError(error, this.options.database.name);
  }
}

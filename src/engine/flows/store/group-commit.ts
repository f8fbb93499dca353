import type { Connection } from '../../sqlite/database.js';

/** How changes of one database are committed together. */
export interface GroupCommitOptions<Work> {
  readonly database: Connection;
  /** What the changes of one transaction work with; made anew for each. */
  readonly newWork: () => Work;
  /**
   * Resolves when everything that is committed by now outlasts a power cut. When it rejects, those who
   * wait for it are, although what they committed stands.
   */
  readonly sync: () => Promise<void>;
  /** Called when a commit is on disk, once all who waited for it were told. */
  readonly onCommitted: (work: Work) => void;
  readonly isBusy: (error: unknown) => boolean;
  /** What a caller gets to see of a failure. */
  readonly asError: (error: unknown) => unknown;
}

/** A transaction whose callers are told when it is on disk. */
interface Committed<Work> {
  readonly jobs: readonly Job<Work>[];
  readonly answers: readonly (() => void)[];
  readonly work: Work;
}

interface Job<Work> {
  /** Does its change, and gives back what tells its caller once it is on disk. */
  readonly change: (work: Work) => () => void;
  readonly reject: (error: unknown) => void;
  /** It, or one beside it, failed: it gets a transaction of its own. */
  alone: boolean;
}

/** More than wait at once on a busy server; bounds how long others wait for the lock. */
const MOST_TOGETHER = 512;
const BUSY_REST_MS = 10;
/** Together with the timeout inside SQLite, about five seconds. */
const BUSY_TRIES = 160;

/**
 * Runs changes in transactions, as many in one as have come in: waiting for the disk takes longer than
 * all of them together. Each is by itself nevertheless. When one fails, the transaction is taken back
 * and all of it is done again, each change alone, so that none but the failing ones fail.
 *
 * A change reads before it writes, and may therefore be run twice; what it returns is told to the
 * caller when the commit is on disk. Meanwhile the next transaction is under way.
 *
 * A change that fails, or whose transaction does, leaves nothing behind. A commit that could not be synced
 * cannot be taken back: everybody sees it, and only a power cut may undo it. Its callers are told of a
 * failure all the same, because it may be gone later. Who tries again has to expect to find it there.
 */
export class GroupCommit<Work> {
  private readonly options: GroupCommitOptions<Work>;
  private readonly begin;
  private readonly commit;
  private readonly rollback;
  private queue: Job<Work>[] = [];
  private isScheduled = false;
  private busyTries = 0;
  private readonly idle = new Set<() => void>();
  private committed: Committed<Work>[] = [];
  private isSyncing = false;

  constructor(options: GroupCommitOptions<Work>) {
    this.options = options;
    const { database } = options;
    this.begin = database.prepare('BEGIN IMMEDIATE');
    this.commit = database.prepare('COMMIT');
    this.rollback = database.prepare('ROLLBACK');
  }

  /**
   * Resolves when the change is on disk.
   *
   * @throws what {@link GroupCommitOptions.asError} makes; nothing was done, unless only the sync failed
   */
  run<T>(change: (work: Work) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.queue.push({
        change: (work) => {
          const result = change(work);
          return () => resolve(result);
        },
        reject,
        alone: false,
      });
      this.schedule();
    });
  }

  /** Resolves when nothing is waiting any more. */
  async drained(): Promise<void> {
    if (!this.isBusy()) return;
    await new Promise<void>((resolve) => this.idle.add(resolve));
  }

  /** After all input of this turn of the event loop, so that what came together goes together. */
  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => this.flush());
  }

  private flush(): void {
    this.isScheduled = false;
    if (!this.lock()) return;
    const jobs = this.nextJobs();
    const work = this.options.newWork();
    const answers = this.commitAll(jobs, work);
    if (answers !== undefined) this.committed.push({ jobs, answers, work });
    this.goOn();
    if (answers !== undefined && !this.isSyncing) void this.syncAll();
  }

  /** One sync after the other, each for all transactions that were committed before it. */
  private async syncAll(): Promise<void> {
    this.isSyncing = true;
    while (this.committed.length > 0) {
      const together = this.committed;
      this.committed = [];
      try {
        await this.options.sync();
      } catch (error) {
        for (const { jobs } of together) {
          for (const job of jobs) job.reject(this.options.asError(error));
        }
        continue;
      }
      for (const { answers, work } of together) {
        for (const answer of answers) answer();
        this.options.onCommitted(work);
      }
    }
    this.isSyncing = false;
    this.goOn();
  }

  private isBusy(): boolean {
    return this.queue.length > 0 || this.committed.length > 0 || this.isSyncing;
  }

  /** @returns what tells the callers; undefined when the transaction was taken back */
  private commitAll(jobs: readonly Job<Work>[], work: Work): (() => void)[] | undefined {
    try {
      const answers = jobs.map((job) => job.change(work));
      this.commit.run();
      return answers;
    } catch (error) {
      this.undo(jobs, error);
      return undefined;
    }
  }

  /** Begins a transaction; false when it has to wait for another process. */
  private lock(): boolean {
    try {
      this.begin.run();
      this.busyTries = 0;
      return true;
    } catch (error) {
      this.busyTries += 1;
      if (this.options.isBusy(error) && this.busyTries < BUSY_TRIES) {
        this.isScheduled = true;
        setTimeout(() => this.flush(), BUSY_REST_MS);
        return false;
      }
      this.busyTries = 0;
      const failed = this.queue;
      this.queue = [];
      for (const job of failed) job.reject(this.options.asError(error));
      this.goOn();
      return false;
    }
  }

  private nextJobs(): readonly Job<Work>[] {
    const firstAlone = this.queue.findIndex((job) => job.alone);
    const together = firstAlone === -1 ? this.queue.length : Math.max(1, firstAlone);
    return this.queue.splice(0, Math.min(together, MOST_TOGETHER));
  }

  private undo(jobs: readonly Job<Work>[], error: unknown): void {
    // SQLite has taken some failed transactions back by itself.
    if (this.options.database.inTransaction) this.rollback.run();
    const [first] = jobs;
    if (jobs.length === 1 && first !== undefined) {
      first.reject(this.options.asError(error));
      return;
    }
    for (const job of jobs) job.alone = true;
    this.queue.unshift(...jobs);
  }

  private goOn(): void {
    if (this.queue.length > 0) {
      this.schedule();
      return;
    }
    if (this.isBusy()) return;
    for (const resolve of this.idle) resolve();
    this.idle.clear();
  }
}

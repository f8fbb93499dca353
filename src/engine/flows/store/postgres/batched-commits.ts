import { SvcError } from '../../../errors/index.js';
import { type NewHistoryEntry, SYSTEM } from '../../../flow-model/history-record.js';
import { requireCurrent, type Server, type Transaction } from '../../../postgres/index.js';
import { afterFirst } from '../../../support/async.js';
import type { FlowPolicy } from '../../flow-policy.js';
import type { ChangeScope, FlowsChange, FlowTx } from '../../flow-store.js';
import { type QueuedChange, queueChange } from '../queued-change.js';
import { Batch, Turn } from './batch.js';
import { appendHistory, postgresTables } from './postgres-sql.js';

/** More wait only on a busy server; bounds the size of statements. */
const MOST_TOGETHER = 128;
/** While the server syncs one batch, it works on another. */
const MOST_BATCHES = 2;

/** How changes are committed together. */
interface BatchedCommitsOptions {
  readonly server: Server;
  readonly policy: FlowPolicy;
  /** Called with the server's time of each transaction. */
  readonly onTime: (nowMs: number) => void;
}

interface Job extends QueuedChange<FlowTx> {
  readonly scope: ChangeScope;
}

/** The channel that announces work for waiters. */
export const WORK_CHANNEL = 'svc_flows';

/**
 * Groups changes that arrive together into transactions, because statements and commits take longer than the changes
 * themselves. The changes of a batch run at the same time and take turns where they concern the same flow. They
 * stay independent: when one fails, the transaction is rolled back and each runs again on its own.
 */
export class BatchedCommits {
  private readonly options: BatchedCommitsOptions;
  private queue: Job[] = [];
  private isScheduled = false;
  private readonly running = new Set<Promise<void>>();
  private readonly expiryCheck = { lastMs: 0 };

  constructor(options: BatchedCommitsOptions) {
    this.options = options;
  }

  /** Resolves when the change is on disk. */
  run<T>(change: (tx: FlowTx) => Promise<T>, scope: ChangeScope): Promise<T> {
    return queueChange(change, (queued: QueuedChange<FlowTx>) => {
      this.queue.push({ scope, ...queued });
      this.schedule();
    });
  }

  /** Resolves when nothing is waiting. */
  async waitUntilIdle(): Promise<void> {
    while (this.queue.length > 0 || this.running.size > 0) {
      await Promise.all(this.running);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** After all input of this turn of the event loop, so that it is grouped. */
  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      while (this.queue.length > 0 && this.running.size < MOST_BATCHES) {
        const committing = this.commit(this.nextJobs()).finally(() => {
          this.running.delete(committing);
          if (this.queue.length > 0) this.schedule();
        });
        this.running.add(committing);
      }
    });
  }

  /** The oldest change, with all that can have a part in its transaction. */
  private nextJobs(): readonly Job[] {
    const [first, ...others] = this.queue;
    if (first === undefined) return [];
    const together = [first];
    const later: Job[] = [];
    for (const job of others) {
      const fits = !first.runsAlone && !job.runsAlone && job.scope === first.scope;
      const canJoin = fits && job.scope !== 'anything' && together.length < MOST_TOGETHER;
      (canJoin ? together : later).push(job);
    }
    this.queue = later;
    return together;
  }

  /** Never rejects. */
  private async commit(jobs: readonly Job[]): Promise<void> {
    const answers = await this.transact(jobs).catch((error: unknown) => {
      this.fail(jobs, error);
      return [];
    });
    for (const answer of answers) answer();
  }

  /** The transaction was rolled back, or nobody knows whether it was kept. */
  private fail(jobs: readonly Job[], error: unknown): void {
    if (jobs.length === 1 || isServerFailure(error)) {
      for (const job of jobs) job.reject(error);
      return;
    }
    for (const job of jobs) job.runsAlone = true;
    this.queue.unshift(...jobs);
  }

  private async transact(jobs: readonly Job[]): Promise<readonly (() => void)[]> {
    const { server } = this.options;
    const [, answers] = await server.transaction(
      (transaction) =>
        // A newer svc can have migrated the tables since this process opened them.
        afterFirst(requireCurrent(server, transaction), this.change(transaction, jobs)),
      // Changes that met those of other hosts run alone instead, where they hold fewer locks.
      jobs.length === 1 ? {} : { retries: 0 },
    );
    return answers;
  }

  private async change(transaction: Transaction, jobs: readonly Job[]) {
    const { policy, onTime } = this.options;
    const { nowMs } = transaction;
    onTime(nowMs);
    const batch = new Batch(transaction, true, this.expiryCheck);
    const newEntries: NewHistoryEntry[] = [];
    const started = jobs.map(({ change }) => {
      const { turn, tx } = newTransaction(batch, policy, nowMs, newEntries);
      return { tx, answer: change(tx).finally(turn.end) };
    });
    const answering = started.map(({ answer }) => answer);
    await Promise.allSettled(answering);
    const answers = await Promise.all(answering);
    const changes = started.flatMap(({ tx }) => tx.changes);
    await Promise.all([
      appendHistory(batch, newEntries),
      changes.some(wakesWaiters) && batch.run(`NOTIFY ${WORK_CHANNEL}`),
    ]);
    return answers;
  }
}

/** Whether the server failed, so that running each change on its own would fail too. */
function isServerFailure(error: unknown): boolean {
  return (
    error instanceof SvcError && error.code !== 'STORAGE_BUSY' && error.code !== 'STORAGE_FAILED'
  );
}

/** Somebody may wait for a task, a notification, or whether to stop. */
function wakesWaiters(change: FlowsChange): boolean {
  switch (change.type) {
    case 'notification':
    case 'pause':
      return true;
    case 'task':
      return change.task.status === 'queued' || change.task.cancelRequestedAt !== null;
    case 'flow':
      return false;
  }
}

/** @param newEntries of the whole batch, because changes of one flow take turns in any order */
function newTransaction(
  batch: Batch,
  policy: FlowPolicy,
  nowMs: number,
  newEntries: NewHistoryEntry[],
) {
  const turn = new Turn(batch);
  const tx: FlowTx = {
    ...postgresTables(turn),
    policy,
    nowMs,
    jump: undefined,
    actor: SYSTEM,
    changes: [],
    newEntries,
  };
  return { turn, tx };
}

import { SvcError, systemErrorCode } from '../../../errors/index.js';
import { type NewHistoryEntry, SYSTEM } from '../../../flow-model/history-record.js';
import type { Server } from '../../../postgres/index.js';
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
export function batchedCommits({ server, policy, onTime }: BatchedCommitsOptions) {
  let queue: Job[] = [];
  let isScheduled = false;
  const running = new Set<Promise<void>>();
  const expiryCheck = { lastMs: 0 };

  /** The oldest change, with all that can have a part in its transaction. */
  const nextJobs = (): readonly Job[] => {
    const [first, ...others] = queue;
    if (first === undefined) return [];
    const together = [first];
    const later: Job[] = [];
    for (const job of others) {
      const fits = !first.runsAlone && !job.runsAlone && job.scope === first.scope;
      const canJoin = fits && job.scope !== 'anything' && together.length < MOST_TOGETHER;
      (canJoin ? together : later).push(job);
    }
    queue = later;
    return together;
  };
  const transact = (jobs: readonly Job[]) =>
    server.transaction(
      async (transaction) => {
        const { nowMs } = transaction;
        onTime(nowMs);
        const batch = new Batch(transaction, true, expiryCheck);
        // Of the whole batch, because changes of one flow take turns in any order.
        const newEntries: NewHistoryEntry[] = [];
        const started = jobs.map(({ change }) => {
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
          return { tx, answer: change(tx).finally(turn.end) };
        });
        const outcomes = await Promise.allSettled(started.map(({ answer }) => answer));
        const reasons = outcomes.flatMap((outcome) =>
          outcome.status === 'rejected' ? [outcome.reason] : [],
        );
        if (reasons.length > 0)
          throw reasons.find((reason) => !isConsequence(reason)) ?? reasons[0];
        await appendHistory(batch, newEntries);
        const changes = started.flatMap(({ tx }) => tx.changes);
        if (changes.some(wakesWaiters)) await batch.run(`NOTIFY ${WORK_CHANNEL}`);
        return Promise.all(started.map(({ answer }) => answer));
      },
      // Changes that met those of other hosts run alone instead, where they hold fewer locks.
      jobs.length === 1 ? {} : { retries: 0 },
    );
  /** The transaction was rolled back, or nobody knows whether it was kept. */
  const fail = (jobs: readonly Job[], error: unknown): void => {
    if (jobs.length === 1 || isServerFailure(error)) {
      for (const job of jobs) job.reject(error);
      return;
    }
    for (const job of jobs) job.runsAlone = true;
    queue.unshift(...jobs);
  };
  /** Never rejects. */
  const commit = async (jobs: readonly Job[]): Promise<void> => {
    const answers = await transact(jobs).catch((error: unknown) => {
      fail(jobs, error);
      return [];
    });
    for (const answer of answers) answer();
  };
  /** After all input of this turn of the event loop, so that it is grouped. */
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      while (queue.length > 0 && running.size < MOST_BATCHES) {
        const committing = commit(nextJobs()).finally(() => {
          running.delete(committing);
          if (queue.length > 0) schedule();
        });
        running.add(committing);
      }
    });
  };
  return {
    /** Resolves when the change is on disk. */
    run: <T>(change: (tx: FlowTx) => Promise<T>, scope: ChangeScope): Promise<T> =>
      queueChange(change, (queued: QueuedChange<FlowTx>) => {
        queue.push({ scope, ...queued });
        schedule();
      }),
    /** Resolves when nothing is waiting. */
    waitUntilIdle: async (): Promise<void> => {
      while (queue.length > 0 || running.size > 0) {
        await Promise.all(running);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

/** Whether the server failed, so that running each change on its own would fail too. */
function isServerFailure(error: unknown): boolean {
  return (
    error instanceof SvcError && error.code !== 'STORAGE_BUSY' && error.code !== 'STORAGE_FAILED'
  );
}

/** After a failed statement, all others of its transaction fail with this code. */
function isConsequence(reason: unknown): boolean {
  return reason instanceof SvcError && systemErrorCode(reason.cause) === '25P02';
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

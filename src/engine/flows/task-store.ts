import { type ErrorCode, READ_ONLY_SERVER, SvcError, systemErrorCode } from '../errors/index.js';
import { OPERATOR } from '../flow-model/history-record.js';
import { hasTaskEnded, type TaskRecord, type TaskRuntime } from '../flow-model/task-record.js';
import { abortableSleep } from '../support/async.js';
import { runningMs } from '../support/time.js';
import { type FlowStore, type FlowTx, storeBackoffMs } from './flow-store.js';
import { actingAs } from './history.js';
import { cancelTask, retryTask } from './tasks/change-task.js';
import {
  type ClaimedTask,
  type ClaimRequest,
  claimTask,
  completeTask,
  failTask,
  heartbeat,
  releaseTask,
  resultText,
  type TaskFailure,
  type TaskLease,
  type TaskReport,
  type TaskSuccess,
} from './tasks/task-lease.js';

/** What workers and operators do with tasks. Everything resolves when it is on disk. */
export function taskStore(store: FlowStore) {
  const nextDueAt = () => store.read(({ tasks }) => tasks.nextDueAt());
  const claim = async (request: ClaimRequest): Promise<ClaimedTask | undefined> => {
    const askedAtMs = runningMs();
    const claimed = await store.write((tx) => claimTask(tx, request), 'claims');
    return claimed && { ...claimed, askedAtMs };
  };
  const changePauses = (
    runtimes: readonly TaskRuntime[],
    change: (tx: FlowTx, runtime: TaskRuntime) => Promise<void>,
  ) =>
    store.write(async (tx) => {
      for (const runtime of runtimes) await change(tx, runtime);
      tx.changes.push({ type: 'pause' });
      return tx.pauses.all();
    }, 'anything');
  /** Makes a change of an operator. */
  const changeNamed = async (
    idOrPrefix: string,
    change: (tx: FlowTx, task: TaskRecord) => Promise<SvcError | TaskRecord>,
  ) =>
    orThrow(
      await store.write(async (tx) => {
        const task = await tx.tasks.named(idOrPrefix);
        return task instanceof SvcError ? task : change(actingAs(tx, OPERATOR), task);
      }),
    );
  return {
    /** Gives the oldest queued task to a worker; undefined if there is none. */
    claim,
    /**
     * The same, but waits for a task. Notices within a fifth of a second when any process has added one,
     * or a retry is due, or a lease has expired. @throws the signal's reason
     */
    wait: async (request: ClaimRequest, signal: AbortSignal): Promise<ClaimedTask> => {
      for (;;) {
        // A worker that is stopping leaves tasks to others.
        signal.throwIfAborted();
        // Read before the claim, so that what is committed meanwhile is not missed.
        const seen = await store.version();
        const claimed = await claim(request);
        if (claimed !== undefined) return claimed;
        const dueAt = (await nextDueAt()) ?? Number.POSITIVE_INFINITY;
        do await store.waitForWork(signal);
        while (!signal.aborted && (await store.version()) === seen && store.now() <= dueAt);
      }
    },
    heartbeat: (lease: TaskLease, report: TaskReport = {}) =>
      store.write((tx) => heartbeat(tx, lease, report)),
    /** @throws SvcError TASK_RESULT_TOO_DEEP: nothing was done */
    complete: async (lease: TaskLease, success: TaskSuccess = {}) => {
      const resultJson = resultText(success);
      return store.write((tx) => completeTask(tx, lease, success, resultJson));
    },
    fail: (lease: TaskLease, failure: TaskFailure) =>
      store.write((tx) => failTask(tx, lease, failure)),
    /** Returns a task to the queue: its worker stops before the work is done. */
    release: (lease: TaskLease) => store.write((tx) => releaseTask(tx, lease)),
    /** @throws SvcError TASK_NOT_FOUND, TASK_ENDED */
    cancel: (idOrPrefix: string) =>
      changeNamed(idOrPrefix, async (tx, task) => {
        if (!hasTaskEnded(task)) return cancelTask(tx, task);
        return new SvcError('TASK_ENDED', `task ${task.taskId} is already ${task.status}`, {
          hint: 'there is nothing left to cancel',
        });
      }),
    /** @throws SvcError TASK_NOT_FOUND, TASK_NOT_RETRYABLE, FLOW_ENDED */
    retry: (idOrPrefix: string) => changeNamed(idOrPrefix, retryTask),
    /** Stops claims of these runtimes by all workers. Tasks that are running go on. @returns all that are paused now */
    pause: (runtimes: readonly TaskRuntime[], reason: string | null) =>
      changePauses(runtimes, ({ pauses, nowMs }, runtime) =>
        pauses.add({ runtime, reason, pausedAt: nowMs }),
      ),
    /** @returns those that are still paused */
    resume: (runtimes: readonly TaskRuntime[]) =>
      changePauses(runtimes, ({ pauses }, runtime) => pauses.remove(runtime)),
    /** The runtimes that are paused. */
    paused: () => store.read(({ pauses }) => pauses.all()),
    /** When the next retry is due or the next lease expires, epoch milliseconds. */
    nextDueAt,
  };
}

/** A server that restarts, a change that met another one, or a file that a backup keeps locked: trying again helps. */
const OUTAGES: ReadonlySet<ErrorCode> = new Set([
  'FLOWS_BUSY',
  'STORAGE_BUSY',
  'STORAGE_UNCERTAIN',
  'STORAGE_UNREACHABLE',
]);
function isOutage(error: unknown): error is SvcError {
  if (!(error instanceof SvcError)) return false;
  return OUTAGES.has(error.code) || systemErrorCode(error.cause) === READ_ONLY_SERVER;
}

/**
 * Opens flows and waits for a task, also while they cannot be used for a time: workers start again for each task, so even
 * the first attempt can meet an outage.
 *
 * @param onOutage called with each failure that is retried
 * @throws any other failure; the signal's reason
 */
export async function waitForTask(
  open: () => Promise<{ readonly tasks: Pick<ReturnType<typeof taskStore>, 'wait'> }>,
  request: ClaimRequest,
  signal: AbortSignal,
  onOutage: (error: SvcError) => void,
): Promise<ClaimedTask> {
  let flows: Awaited<ReturnType<typeof open>> | undefined;
  for (let failures = 1; ; failures += 1) {
    try {
      flows ??= await open();
      return await flows.tasks.wait(request, signal);
    } catch (error) {
      if (!isOutage(error)) throw error;
      onOutage(error);
      await abortableSleep(storeBackoffMs(failures), signal);
    }
  }
}

/** Transactions return errors instead of throwing them, which would roll back other changes with them. */
export function orThrow<T>(answer: SvcError | T): T {
  if (answer instanceof SvcError) throw answer;
  return answer;
}

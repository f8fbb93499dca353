import type { PauseRecord } from '../pause-record.js';
import type { TaskRuntime } from '../task-record.js';
import type { Work } from '../work.js';

/**
 * Lets queued tasks wait until they are resumed. A runtime that is paused already keeps its time, and its reason
 * unless there is another one. @returns all that are paused now
 */
export async function pauseTasks(
  work: Work,
  runtimes: readonly TaskRuntime[],
  reason: string | null,
): Promise<readonly PauseRecord[]> {
  for (const runtime of runtimes) {
    await work.pauses.keep({ runtime, reason, pausedAt: work.nowMs });
  }
  work.changes.push({ type: 'pause' });
  return work.pauses.all();
}

/** @returns those that are still paused */
export async function resumeTasks(
  work: Work,
  runtimes: readonly TaskRuntime[],
): Promise<readonly PauseRecord[]> {
  for (const runtime of runtimes) await work.pauses.remove(runtime);
  work.changes.push({ type: 'pause' });
  return work.pauses.all();
}

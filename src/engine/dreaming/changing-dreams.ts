import type { Clock } from '../context.js';
import { withProcessLock } from '../process-lock.js';
import type { DreamTarget } from './dream-targets.js';
import { realWorkspaceDir } from './dream-workspace.js';
import { type MemoryChanger, recoverChanges } from './promotion/change-memory.js';
import { openDreamDatabase } from './store/dream-database.js';
import { recallEntries } from './store/recall-entries.js';
import { sweepRecords } from './store/sweep-records.js';

/** Who decides, and when. */
export interface HandOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called once when a sweep is running and the waiting begins. */
  readonly onWait?: (() => void) | undefined;
}

/**
 * Does work on what is known of a workspace, under the lock of sweeps, with what killed ones left behind
 * cleared up.
 *
 * @throws SvcError DREAM_STORE_*; what the work throws
 */
export async function changingDreams<T>(
  { workspace }: DreamTarget,
  { clock, signal, onWait }: HandOptions,
  work: (changer: MemoryChanger) => T,
): Promise<T> {
  return withProcessLock(workspace.files.lock, { signal, onWait }, async () => {
    const database = openDreamDatabase(workspace.files.database);
    try {
      const changer: MemoryChanger = {
        dir: realWorkspaceDir(workspace),
        backupDir: workspace.files.backupDir,
        database,
        entries: recallEntries(database),
        sweeps: sweepRecords(database),
        nowMs: clock.now(),
        dryRun: false,
      };
      recoverChanges(changer);
      return work(changer);
    } finally {
      database.close();
    }
  });
}

import { existsSync } from 'node:fs';
import { isProcessLockHeld, withProcessLock } from '../process-lock.js';
import { dayFormatter } from './day.js';
import type { DreamTarget } from './dream-targets.js';
import { type OpenDreams, openDreams } from './open-dreams.js';
import { ingestRecalls } from './recall-log/ingest-recalls.js';
import { openDreamDatabase } from './store/dream-database.js';
import { recallEntries } from './store/recall-entries.js';

/**
 * Looks at what dreaming knows of a workspace, with what was searched for since the last sweep taken in.
 * While a sweep runs nothing is waited for: it takes in what there is by itself.
 *
 * @param look gets undefined when nothing is known yet
 * @throws SvcError DREAM_STORE_NEWER, DREAM_STORE_UNUSABLE; what `look` throws
 */
export async function withCurrentDreams<T>(
  target: Pick<DreamTarget, 'timeZone' | 'workspace'>,
  signal: AbortSignal,
  look: (dreams: OpenDreams | undefined) => T,
): Promise<T> {
  await takeIn(target, signal);
  const dreams = openDreams(target.workspace);
  try {
    return look(dreams);
  } finally {
    dreams?.close();
  }
}

async function takeIn(
  { workspace: { files }, timeZone }: Pick<DreamTarget, 'timeZone' | 'workspace'>,
  signal: AbortSignal,
): Promise<void> {
  if (!existsSync(files.recallLog) || isProcessLockHeld(files.lock)) return;
  await withProcessLock(files.lock, { signal }, async () => {
    const database = openDreamDatabase(files.database);
    try {
      ingestRecalls({
        database,
        entries: recallEntries(database),
        logFile: files.recallLog,
        dayOf: dayFormatter(timeZone),
        rotates: true,
      });
    } finally {
      database.close();
    }
  });
}

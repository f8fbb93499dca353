import { statSync } from 'node:fs';
import { messageOf } from '../errors/index.js';
import { resolveWorkspace } from '../memory/sources/index.js';
import { MEMORY_FILE, readGuarded } from '../memory-files/guarded-file.js';
import { isProcessLockHeld } from '../sqlite/process-lock.js';
import { nextRuns } from '../support/cron-times.js';
import { iso } from '../support/time.js';
import type { DreamTarget } from './dream-targets.js';
import { candidates } from './explain-claim.js';
import { sweepOutput, workspaceOutput } from './output.js';
import type { DreamStatusOutput } from './output-schemas.js';
import { handWritten, promotedEntries } from './promotion/memory-file.js';
import { MOST_LOG_BYTES } from './recall-log/recall-log.js';
import type { Moment } from './scoring/score.js';
import type { OpenDreams } from './store/dream-database.js';

/** One workspace of `svc dream status`. */
export async function dreamStatus(
  target: DreamTarget,
  { entries, sweeps }: OpenDreams,
  moment: Moment,
): Promise<DreamStatusOutput['workspaces'][number]> {
  const { files } = target.workspace;
  const nextMs = nextSweepMs(target, moment.nowMs);
  const last = sweeps.last();
  const { open = 0, promoted = 0, rejected = 0 } = entries.counts();
  const claims = await candidates(entries, new Set(), target.settings, moment);
  const ready = claims.filter(({ passes }) => passes).length;
  return {
    ...workspaceOutput(target),
    timeZone: target.timeZone ?? null,
    nextRunAt: nextMs === undefined ? null : iso(nextMs),
    busy: isProcessLockHeld(files.lock),
    lastSweep: last === undefined ? null : sweepOutput(last),
    claims: { open, ready, promoted, rejected },
    recallLog: {
      bytes: statSync(files.recallLog, { throwIfNoEntry: false })?.size ?? 0,
      mostBytes: MOST_LOG_BYTES,
    },
    ...memoryOf(target),
  };
}

function memoryOf({
  workspace,
  settings,
}: DreamTarget): Pick<DreamStatusOutput['workspaces'][number], 'fault' | 'memory'> {
  try {
    const { text } = readGuarded(resolveWorkspace(workspace.dir), MEMORY_FILE);
    const memory = {
      promoted: promotedEntries(text).length,
      characters: text.length,
      handwritten: handWritten(text).length,
      maxCharacters: settings.phases.deep.maxMemoryChars,
      bytes: Buffer.byteLength(text),
    };
    return { memory, fault: null };
  } catch (error) {
    return { memory: null, fault: messageOf(error) };
  }
}

/** Whether a person's own lines alone are over the budget of `MEMORY.md`, so that nothing more is promoted. */
export function isMemoryFull(target: DreamTarget): boolean {
  const { memory } = memoryOf(target);
  return memory !== null && memory.handwritten > memory.maxCharacters;
}

/** When the next sweep is due; undefined if none is or dreaming is off. */
export function nextSweepMs(
  { settings, timeZone }: Pick<DreamTarget, 'settings' | 'timeZone'>,
  nowMs: number,
): number | undefined {
  return settings.enabled ? nextRuns(settings.frequency, timeZone, nowMs, 1)[0] : undefined;
}

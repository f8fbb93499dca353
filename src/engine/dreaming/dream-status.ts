import { statSync } from 'node:fs';
import { messageOf } from '../errors/index.js';
import { MEMORY_FILE, readGuarded } from '../memory-files/guarded-file.js';
import { isProcessLockHeld } from '../sqlite/process-lock.js';
import { nextRuns } from '../support/cron-times.js';
import { iso } from '../support/time.js';
import type { DreamTarget } from './dream-targets.js';
import { realWorkspaceDir } from './dream-workspace.js';
import { candidates } from './explain-claim.js';
import { placeOutput, sweepOutput } from './output.js';
import type { DreamStatusOutput } from './output-schemas.js';
import { handWritten, promotedEntries } from './promotion/memory-file.js';
import { MOST_LOG_BYTES } from './recall-log/recall-log.js';
import type { OpenDreams } from './store/dream-database.js';
import type { SweepRecord } from './store/sweep-records.js';

/** One workspace of `svc dream status`. @param dreams what is recorded about it; see withCurrentDreams */
export function dreamStatus(
  target: DreamTarget,
  dreams: OpenDreams | undefined,
  nowMs: number,
): DreamStatusOutput['workspaces'][number] {
  const { files } = target.workspace;
  const nextMs = nextSweepMs(target, nowMs);
  const last = lastSweep(dreams);
  const all = dreams?.entries.since(0) ?? [];
  const ready = dreams === undefined ? [] : candidates(dreams.entries, target.settings, nowMs);
  const count = (fate: string): number => all.filter(({ state }) => state.fate === fate).length;
  return {
    ...placeOutput(target),
    timeZone: target.timeZone ?? null,
    nextRunAt: nextMs === undefined ? null : iso(nextMs),
    busy: isProcessLockHeld(files.lock),
    lastSweep: last === undefined ? null : sweepOutput(last),
    claims: {
      open: count('open'),
      ready: ready.filter(({ passes }) => passes).length,
      promoted: count('promoted'),
      rejected: count('rejected'),
    },
    recallLog: {
      bytes: statSync(files.recallLog, { throwIfNoEntry: false })?.size ?? 0,
      mostBytes: MOST_LOG_BYTES,
    },
    ...memoryOf(target),
  };
}

/** The last manual or scheduled sweep, however many backfills and promotions came after it. */
export function lastSweep(dreams: OpenDreams | undefined): SweepRecord | undefined {
  return dreams?.sweeps
    .list(MOST_CHECKED)
    .find(({ trigger }) => trigger === 'manual' || trigger === 'schedule');
}

const MOST_CHECKED = 1000;

function memoryOf({
  workspace,
  settings,
}: DreamTarget): Pick<DreamStatusOutput['workspaces'][number], 'fault' | 'memory'> {
  try {
    const { text } = readGuarded(realWorkspaceDir(workspace), MEMORY_FILE);
    const promoted = promotedEntries(text).length;
    const bytes = Buffer.byteLength(text);
    const characters = text.length;
    const handwritten = handWritten(text).length;
    const maxCharacters = settings.phases.deep.maxMemoryChars;
    const memory = { promoted, characters, handwritten, maxCharacters, bytes };
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

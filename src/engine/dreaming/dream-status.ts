import { statSync } from 'node:fs';
import { messageOf } from '../errors/index.js';
import { isProcessLockHeld } from '../process-lock.js';
import type { DreamTarget } from './dream-targets.js';
import { realWorkspaceDir } from './dream-workspace.js';
import { candidates } from './explain-claim.js';
import type { OpenDreams } from './open-dreams.js';
import { MEMORY_FILE } from './promotion/change-memory.js';
import { readGuarded } from './promotion/guarded-file.js';
import { promotedEntries } from './promotion/memory-file.js';
import { MOST_LOG_BYTES } from './recall-log/append-recall.js';
import { nextRuns } from './schedule/next-runs.js';
import type { SweepRecord } from './store/sweep-records.js';
import { MOST_PROMOTED } from './sweep/plan-promotions.js';

/** How consolidation stands in one workspace. */
export interface DreamStatus {
  readonly target: DreamTarget;
  /** A sweep, or a decision by hand, is under way now. */
  readonly isBusy: boolean;
  readonly lastSweep: SweepRecord | undefined;
  /** How many claims there are of each fate; `ready` are the open ones that pass every gate. */
  readonly claims: {
    readonly open: number;
    readonly ready: number;
    readonly promoted: number;
    readonly rejected: number;
  };
  /** What searches wrote down, in bytes, and where it stops growing. */
  readonly recallLog: { readonly bytes: number; readonly mostBytes: number };
  /** What dreaming wrote into `MEMORY.md`, or why that cannot be told. */
  readonly memory:
    | {
        readonly ok: true;
        readonly promoted: number;
        readonly mostPromoted: number;
        readonly bytes: number;
      }
    | { readonly ok: false; readonly why: string };
}

/** @param dreams what is known of the workspace; see withCurrentDreams */
export function dreamStatus(
  target: DreamTarget,
  dreams: OpenDreams | undefined,
  nowMs: number,
): DreamStatus {
  const { files } = target.workspace;
  const all = dreams?.entries.since(0) ?? [];
  const ready = dreams === undefined ? [] : candidates(dreams.entries, target.settings, nowMs);
  const count = (fate: string): number => all.filter(({ state }) => state.fate === fate).length;
  return {
    target,
    isBusy: isProcessLockHeld(files.lock),
    lastSweep: lastSweep(dreams),
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
    memory: memoryOf(target),
  };
}

/** The newest sweep of all phases; undefined where nothing was swept yet. */
export function lastSweep(dreams: OpenDreams | undefined): SweepRecord | undefined {
  return dreams?.sweeps.list(MOST_LOOKED_AT).find(isSweep);
}

function isSweep({ trigger }: SweepRecord): boolean {
  return trigger === 'manual' || trigger === 'schedule';
}

/** So many promotions by hand may have come after the last sweep. */
const MOST_LOOKED_AT = 1000;

function memoryOf({ workspace }: DreamTarget): DreamStatus['memory'] {
  try {
    const { text } = readGuarded(realWorkspaceDir(workspace), MEMORY_FILE);
    return {
      ok: true,
      promoted: promotedEntries(text).length,
      mostPromoted: MOST_PROMOTED,
      bytes: Buffer.byteLength(text),
    };
  } catch (error) {
    return { ok: false, why: messageOf(error) };
  }
}

/** When the next sweep is due; undefined when none ever is, or dreaming is off. */
export function nextSweepMs(
  { settings, timeZone }: Pick<DreamTarget, 'settings' | 'timeZone'>,
  nowMs: number,
): number | undefined {
  return settings.enabled ? nextRuns(settings.frequency, timeZone, nowMs, 1)[0] : undefined;
}

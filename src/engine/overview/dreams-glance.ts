import { lastSweep, nextSweepMs } from '../dreaming/dream-status.js';
import type { DreamTarget } from '../dreaming/dream-targets.js';
import { openDreams } from '../dreaming/open-dreams.js';
import { sweepOutput } from '../dreaming/output.js';
import type { SweepRecord } from '../dreaming/store/sweep-records.js';
import { SvcError } from '../errors/index.js';
import { fileStamp } from './file-stamp.js';

/** Consolidation of one workspace in a line; times in milliseconds since the epoch. */
export interface DreamsGlance {
  /** Those who share the workspace. */
  readonly agents: readonly string[];
  readonly enabled: boolean;
  /** Undefined when no sweep is ever due. */
  readonly nextMs: number | undefined;
  /** Undefined where nothing was swept yet. */
  readonly last: LastSweep | undefined;
  /** Why what was swept cannot be told. */
  readonly fault: string | undefined;
}

/** The newest sweep. */
export interface LastSweep {
  readonly startedMs: number;
  readonly ended: boolean;
  readonly failed: boolean;
  /** How many claims it put into `MEMORY.md`. */
  readonly written: number;
}

/** Looks at the dreams of all workspaces; what is known of them is opened only after it was written. */
export class DreamsLook {
  private readonly targets: readonly DreamTarget[];
  private stamp: string | undefined;
  private swept: readonly SweptGlance[] = [];
  private nextMs: readonly (number | undefined)[] = [];

  constructor(targets: readonly DreamTarget[]) {
    this.targets = targets;
  }

  /** @returns undefined when nothing changed since the last look, and nothing fell due */
  look(nowMs: number): readonly DreamsGlance[] | undefined {
    const stamp = fileStamp(
      this.targets.flatMap(({ workspace: { files } }) => [files.database, `${files.database}-wal`]),
    );
    const isSwept = stamp !== this.stamp;
    if (!isSwept && !this.nextMs.some((next) => next !== undefined && next <= nowMs)) {
      return undefined;
    }
    this.stamp = stamp;
    if (isSwept) this.swept = this.targets.map(sweptGlance);
    this.nextMs = this.targets.map((target) => nextSweepMs(target, nowMs));
    return this.targets.map(({ agents, settings }, at) => ({
      agents,
      enabled: settings.enabled,
      nextMs: this.nextMs[at],
      last: this.swept[at]?.last,
      fault: this.swept[at]?.fault,
    }));
  }
}

type SweptGlance = Pick<DreamsGlance, 'fault' | 'last'>;

function sweptGlance({ workspace }: DreamTarget): SweptGlance {
  try {
    const dreams = openDreams(workspace);
    try {
      const newest = lastSweep(dreams);
      return { last: newest === undefined ? undefined : sweepGlance(newest), fault: undefined };
    } finally {
      dreams?.close();
    }
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return { last: undefined, fault: error.message };
  }
}

function sweepGlance(sweep: SweepRecord): LastSweep {
  const { startedMs, endedMs, phases } = sweep;
  return {
    startedMs,
    ended: endedMs !== undefined,
    failed: Object.values(phases).some(({ state }) => state === 'failed'),
    written: sweepOutput(sweep).written,
  };
}

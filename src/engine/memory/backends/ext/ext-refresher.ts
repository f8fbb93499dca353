import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../../context.js';
import { withProcessLock } from '../../../process-lock.js';
import type { ForgetPlaces } from '../../forget/forget-list.js';
import type { TranscriptSources } from '../../sources/transcripts/transcript-files.js';
import type { SkippedFile } from '../../types.js';
import type { WorkOptions } from '../memory-backend.js';
import type { ExtSettings } from './ext-settings.js';
import { treeOf } from './ext-sources.js';
import { type ExtState, readExtState } from './ext-state.js';
import { knownFeatures } from './known-features.js';
import { RunPending, type RunWork, SharedRun } from './shared-run.js';
import type { ExtSyncResult } from './sync-ext.js';
import type { Tool } from './tool/open-tool.js';

/** What a refresher is told. */
export interface ExtRefresherOptions {
  readonly settings: ExtSettings;
  /** Conversations to export; undefined where none are searched. */
  readonly transcripts: TranscriptSources | undefined;
  readonly forget: ForgetPlaces;
  readonly clock: Clock;
  /** Held by whoever refreshes, whichever agent's index it is: they take turns. */
  readonly lockFile: string;
  /** Where a person's own models lie. */
  readonly modelsDir: string | undefined;
  /** Called when the program was told of other collections than before. */
  readonly onNewCollections: () => Promise<void>;
}

/** How a refresh is done. */
export interface RefreshOptions {
  /** Make vectors now, whenever that was last done. */
  readonly embedsNow: boolean;
  /** Build the index anew. */
  readonly isForced?: boolean;
  /** How long to wait for another's refresh, in milliseconds. */
  readonly waitMs: number;
}

interface Running {
  readonly run: SharedRun<ExtSyncResult>;
  readonly how: RefreshOptions;
}

/** Keeps the program's index of one agent in line with its files. */
export class ExtRefresher {
  private readonly options: ExtRefresherOptions;
  private running: Running | undefined;

  constructor(options: ExtRefresherOptions) {
    this.options = options;
  }

  /**
   * Refreshes. The refresh that this process is at is waited for; it may have looked at the files too
   * early, so that it is done again where they changed since.
   *
   * @throws RunPending when somebody else refreshes for all of `waitMs`; ToolFailure; the signal's reason
   */
  async refresh(tool: Tool, work: WorkOptions, wanted: RefreshOptions): Promise<ExtSyncResult> {
    const hasVectors = this.options.settings.mode !== 'search';
    const how = { ...wanted, embedsNow: wanted.embedsNow && hasVectors };
    const deadline = performance.now() + how.waitMs;
    const leftMs = (): number => Math.max(0, deadline - performance.now());
    while (this.running?.run.isOver === false) {
      const { running } = this;
      const result = await joined(running, work, leftMs());
      if (result !== undefined && includes(running.how, how) && !this.isStale(result.state)) {
        return result;
      }
    }
    work.signal?.throwIfAborted();
    const patient = { ...how, waitMs: leftMs() };
    const run = new SharedRun((shared) => this.refreshAlone(tool, shared, patient));
    this.running = { run, how };
    return run.join(work);
  }

  /** Does something while nobody refreshes. @throws RunPending; the signal's reason */
  async alone<T>(work: WorkOptions, waitMs: number, act: () => Promise<T>): Promise<T> {
    return this.inTurn(work.signal, waitMs, () => undefined, act);
  }

  /** What the files look like now; see treeOf. */
  tree(): string | null {
    const { settings, transcripts, clock } = this.options;
    return treeOf(settings.collections(), transcripts, clock.now());
  }

  /** Whether files changed since the last refresh, as far as a look at Markdown files tells. */
  isStale({ updated }: ExtState): boolean {
    if (updated === undefined || updated.tree === null || updated.tree !== this.tree()) return true;
    const { settings, clock } = this.options;
    const { intervalMs } = settings.update;
    const hasOthers = settings.collections().some(({ pattern }) => !/\.md$/iu.test(pattern));
    return hasOthers && intervalMs > 0 && clock.now() - updated.atMs >= intervalMs;
  }

  private async refreshAlone(
    tool: Tool,
    { signal, onEvent }: RunWork,
    { embedsNow, isForced = false, waitMs }: RefreshOptions,
  ): Promise<ExtSyncResult> {
    const { settings, clock, modelsDir } = this.options;
    const { syncExt, removeExtIndex, unchanged } = await import('./sync-ext.js');
    const before = readExtState(settings.dir).collections;
    let hasWaited = false;
    const onWait = (): void => {
      hasWaited = true;
    };
    const result = await this.inTurn(signal, waitMs, onWait, async () => {
      // Whoever was at it may have done what there was to do.
      const state = readExtState(settings.dir);
      if (hasWaited && !isForced && !embedsNow && !this.isStale(state)) return unchanged(state);
      if (isForced) removeExtIndex(settings.dir);
      const features = await knownFeatures(tool, settings, signal);
      const target = {
        settings,
        tool,
        features,
        clock,
        modelsDir,
        exportSessions: () => this.exportSessions(),
        tree: () => this.tree(),
      };
      return syncExt(target, { signal, onEvent, embedsNow });
    });
    const isTold = result.hasNewCollections || !isDeepStrictEqual(before, result.state.collections);
    if (isForced || isTold) await this.options.onNewCollections();
    return result;
  }

  /** @throws RunPending when it is not this process's turn within the time */
  private async inTurn<T>(
    signal: AbortSignal | undefined,
    waitMs: number,
    onWait: () => void,
    act: () => Promise<T>,
  ): Promise<T> {
    const patience = AbortSignal.timeout(Math.ceil(waitMs));
    const either = signal === undefined ? patience : AbortSignal.any([signal, patience]);
    let isMine = false;
    try {
      return await withProcessLock(this.options.lockFile, { signal: either, onWait }, () => {
        isMine = true;
        return act();
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw !isMine && patience.aborted ? new RunPending() : error;
    }
  }

  /** Conversations as Markdown; without them in the memory, no export of them stays behind. */
  async exportSessions(): Promise<readonly SkippedFile[]> {
    const { settings, transcripts, forget, clock } = this.options;
    const { exportSessions, removeExports } = await import('./export-sessions.js');
    const listFile = exportListFile(settings.dir);
    if (transcripts === undefined) {
      removeExports(listFile);
      return [];
    }
    const { exportDir, retentionDays } = settings.sessions;
    const nowMs = clock.now();
    return exportSessions({ transcripts, exportDir, retentionDays, listFile, forget, nowMs });
  }
}

/** Where it is remembered which conversations were exported, and to which files. */
export function exportListFile(dir: string): string {
  return join(dir, 'exports.json');
}

/** @returns undefined for one that came to nothing because others did not wait for it */
async function joined(
  { run }: Running,
  work: WorkOptions,
  waitMs: number,
): Promise<ExtSyncResult | undefined> {
  try {
    return await run.join(work, waitMs);
  } catch (error) {
    work.signal?.throwIfAborted();
    const isTheirs = run.isOver && (error instanceof RunPending || run.isAbandoned);
    if (isTheirs) return undefined;
    throw error;
  }
}

/** Whether a refresh does all that another one would. */
function includes(done: RefreshOptions, wanted: RefreshOptions): boolean {
  const { embedsNow, isForced = false } = wanted;
  return (done.embedsNow || !embedsNow) && !isForced;
}

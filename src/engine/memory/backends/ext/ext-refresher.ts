import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { withProcessLock } from '../../../sqlite/process-lock.js';
import { anySignal, withinTime } from '../../../support/async.js';
import type { Clock } from '../../../support/context.js';
import { LONGEST_TIMER_MS } from '../../../support/time.js';
import type { ForgetPlaces } from '../../forgotten/index.js';
import { removeStrays, scanMemoryFiles, type TranscriptSources } from '../../sources/index.js';
import type { SyncEvent, WorkOptions } from '../../sync/index.js';
import type { SkippedFile } from '../../types.js';
import { treeOf } from './collections.js';
import type { ExtSettings } from './ext-settings.js';
import { type ExtState, knownFeatures, readExtState } from './ext-state.js';
import type { ExtSyncResult } from './sync-ext.js';
import { type Tool, ToolFailure } from './tool/open-tool.js';
import { msUntil } from './tool/run-tool.js';

export interface ExtRefresherOptions {
  readonly settings: ExtSettings;
  /** Conversations to export; undefined when none are searched. */
  readonly transcripts: TranscriptSources | undefined;
  readonly forget: ForgetPlaces;
  readonly clock: Clock;
  /** Held during a refresh of any agent's index: refreshes take turns. */
  readonly lockFile: string;
  /** The folder of the user's own models. */
  readonly modelsDir: string | undefined;
  /** Called when the program's collections have changed. */
  readonly onNewCollections: () => Promise<void>;
}

/** How a refresh is done. */
export interface RefreshOptions {
  /** Embed now, regardless of the interval. */
  readonly embedsNow: boolean;
  /** Rebuild the index from scratch. */
  readonly isForced?: boolean;
  /** How long to wait for another process's refresh, in milliseconds. */
  readonly waitMs: number;
  /** Deadline, by `performance.now()`; without it, each run has its own limit. */
  readonly deadline?: number;
}

interface Running {
  readonly run: SharedRun<ExtSyncResult>;
  readonly how: RefreshOptions;
}

/** Keeps the program's index of one agent in sync with its files. */
export class ExtRefresher {
  private readonly options: ExtRefresherOptions;
  private running: Running | undefined;

  constructor(options: ExtRefresherOptions) {
    this.options = options;
  }

  /**
   * Refreshes, or joins the refresh already running in this process. That one may have read the files too
   * early, so it is repeated if they have changed since.
   *
   * @throws RunPending when another process refreshes for all of `waitMs`; ToolFailure; the signal's reason
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

  /** Runs work while no refresh is running. @throws RunPending */
  async alone<T>(work: WorkOptions, waitMs: number, act: () => Promise<T>): Promise<T> {
    return this.inTurn(work.signal, waitMs, () => undefined, act);
  }

  /** The digest of the current files; see treeOf. */
  tree(): string | null {
    const { settings, transcripts, clock } = this.options;
    return treeOf(settings.collections(), transcripts, clock.now());
  }

  /** Whether Markdown files changed since the last refresh. */
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
    { embedsNow, isForced = false, waitMs, deadline = Number.POSITIVE_INFINITY }: RefreshOptions,
  ): Promise<ExtSyncResult> {
    const { settings, clock, modelsDir } = this.options;
    const { syncExt, removeExtIndex, unchanged } = await import('./sync-ext.js');
    const before = readExtState(settings.dir).collections;
    let hasWaited = false;
    const onWait = (): void => {
      hasWaited = true;
    };
    const result = await this.inTurn(signal, waitMs, onWait, async () => {
      // The other process may have done the same refresh.
      const state = readExtState(settings.dir);
      if (hasWaited && !isForced && !embedsNow && !this.isStale(state)) return unchanged(state);
      if (isForced) removeExtIndex(settings.dir);
      const timeoutMs = Math.min(settings.update.commandTimeoutMs, msUntil(deadline));
      const features = await knownFeatures(tool, settings, { timeoutMs, signal });
      if (existsSync(settings.workspaceDir)) {
        const { workspaceDir } = settings;
        removeStrays(
          scanMemoryFiles({ workspaceDir, layout: 'agent', extraPaths: [] }),
          clock.now(),
        );
      }
      const target = {
        settings,
        tool,
        features,
        clock,
        modelsDir,
        exportSessions: () => this.exportSessions({ signal }),
        tree: () => this.tree(),
      };
      return syncExt(target, { signal, onEvent, embedsNow, deadline });
    });
    const isTold = result.hasNewCollections || !isDeepStrictEqual(before, result.state.collections);
    if (isForced || isTold) await this.options.onNewCollections();
    return result;
  }

  /** @throws RunPending when the lock is not free in time */
  private async inTurn<T>(
    signal: AbortSignal | undefined,
    waitMs: number,
    onWait: () => void,
    act: () => Promise<T>,
  ): Promise<T> {
    const patience = AbortSignal.timeout(Math.ceil(waitMs));
    const either = signal === undefined ? patience : anySignal([signal, patience]);
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

  /** Exports conversations as Markdown; if they are not part of the memory, removes earlier exports. */
  async exportSessions({ signal }: WorkOptions): Promise<readonly SkippedFile[]> {
    const { settings, transcripts, forget, clock } = this.options;
    const { exportSessions, removeExports } = await import('./export-sessions.js');
    const listFile = exportListFile(settings.dir);
    if (transcripts === undefined) {
      removeExports(listFile);
      return [];
    }
    const { exportDir, retentionDays } = settings.sessions;
    const nowMs = clock.now();
    const options = { transcripts, exportDir, retentionDays, listFile, forget, nowMs, signal };
    return exportSessions(options);
  }
}

/** The record of exported conversations and their files. */
export function exportListFile(dir: string): string {
  return join(dir, 'exports.json');
}

/** @returns undefined when the joined work ended early because its other callers left */
async function joined(
  { run, how }: Running,
  work: WorkOptions,
  waitMs: number,
): Promise<ExtSyncResult | undefined> {
  try {
    return await run.join(work, waitMs);
  } catch (error) {
    work.signal?.throwIfAborted();
    const isLate = how.deadline !== undefined && isTimeout(error);
    const isTheirs = run.isOver && (error instanceof RunPending || run.isAbandoned || isLate);
    if (isTheirs) return undefined;
    throw error;
  }
}

/** Whether one refresh covers everything another would do. */
function includes(done: RefreshOptions, wanted: RefreshOptions): boolean {
  const { embedsNow, isForced = false } = wanted;
  return (done.embedsNow || !embedsNow) && !isForced;
}

function isTimeout(error: unknown): boolean {
  return error instanceof ToolFailure && error.code === 'BACKEND_TIMEOUT';
}

interface RunWork {
  /** Aborted once nobody waits for it. */
  readonly signal: AbortSignal;
  /** Notifies all callers. */
  readonly onEvent: (event: SyncEvent) => void;
}

/** Another process is refreshing and takes longer than the caller wants to wait. */
export class RunPending extends Error {
  override name = 'RunPending';
}

/**
 * Work that several callers wait for. Each can leave through its own signal without affecting the others; the
 * work is aborted when the last one leaves.
 */
export class SharedRun<T> {
  private readonly waiting = new Set<WorkOptions>();
  private readonly leaving = new AbortController();
  private readonly result: Promise<T>;
  /** Whether it has settled. */
  isOver = false;

  /** Starts immediately; its creator must join immediately. */
  constructor(run: (work: RunWork) => Promise<T>) {
    this.result = run({
      signal: this.leaving.signal,
      onEvent: (event) => {
        for (const { onEvent } of this.waiting) onEvent?.(event);
      },
    }).finally(() => {
      this.isOver = true;
    });
    // All callers may have left, so a rejection must not go unhandled.
    this.result.catch(() => undefined);
  }

  /** Whether all callers left before it settled. */
  get isAbandoned(): boolean {
    return this.leaving.signal.aborted;
  }

  /**
   * Waits for the result.
   *
   * @param waitMs how long at most
   * @throws RunPending; the signal's reason; what the work throws
   */
  async join(work: WorkOptions, waitMs = LONGEST_TIMER_MS): Promise<T> {
    const { signal } = work;
    signal?.throwIfAborted();
    // Two callers may pass the same options object.
    const caller = { ...work };
    this.waiting.add(caller);
    try {
      const timed = await withinTime(waitMs, signal, () => this.result);
      if (!timed.done) throw new RunPending();
      return timed.value;
    } finally {
      this.waiting.delete(caller);
      if (this.waiting.size === 0 && !this.isOver) this.leaving.abort(signal?.reason);
    }
  }
}

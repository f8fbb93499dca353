import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { SvcError } from '../../../errors/index.js';
import { acquireProcessLock, whileLocked } from '../../../sqlite/process-lock.js';
import type { Clock } from '../../../support/context.js';
import { isWithin } from '../../../support/time.js';
import type { ForgetPlaces } from '../../forgotten/index.js';
import { removeStrays, scanMemoryFiles, type TranscriptSources } from '../../sources/index.js';
import type { WorkOptions } from '../../sync/index.js';
import type { SkippedFile } from '../../types.js';
import { treeOf } from './collections.js';
import type { ExtSettings } from './ext-settings.js';
import { type ExtState, knownFeatures, readExtState } from './ext-state.js';
import type { ExtSyncResult } from './sync-ext.js';
import type { Tool } from './tool/open-tool.js';
import { msUntil } from './tool/run-tool.js';

export interface ExtRefresherOptions {
  readonly settings: ExtSettings;
  /** Conversations to export; undefined when none are searched. */
  readonly transcripts: TranscriptSources | undefined;
  readonly forget: ForgetPlaces;
  readonly clock: Clock;
  /** Held during a refresh of any agent's index: refreshes take turns. */
  readonly lockFile: string;
  /** The folder of the user's own models; need not exist. */
  readonly modelsDir: string;
  /** Called when the program's collections have changed. */
  readonly onNewCollections: () => Promise<void>;
}

/** How a refresh is done. */
export interface RefreshOptions {
  /** Embed now, regardless of the interval. */
  readonly embedsNow: boolean;
  /** Rebuild the index from scratch. */
  readonly isForced?: boolean;
  /** How long to wait for another refresh, in milliseconds. */
  readonly waitMs: number;
  /** Deadline, by `performance.now()`; without it, each run has its own limit. */
  readonly deadline?: number;
}

function refreshRunning(): SvcError {
  return new SvcError(
    'INDEX_LOCKED',
    'another process is refreshing an index of the external search program',
    { hint: 'wait for it to finish and try again' },
  );
}

/** Whether another refresh is running and takes longer than the caller wanted to wait. */
export function isRefreshRunning(error: unknown): error is SvcError {
  return error instanceof SvcError && error.code === 'INDEX_LOCKED';
}

export type ExtRefresher = ReturnType<typeof createExtRefresher>;

/** Keeps the program's index of one agent in sync with its files. */
export function createExtRefresher(options: ExtRefresherOptions) {
  const { settings, transcripts, clock, forget, modelsDir } = options;
  const { dir, workspaceDir } = settings;

  /** Runs work while no refresh is running. @throws SvcError INDEX_LOCKED when one runs for all of `waitMs` */
  const withRefreshLock = async <T>(
    { signal }: WorkOptions,
    waitMs: number,
    act: () => Promise<T>,
    onWait?: () => void,
  ): Promise<T> => {
    const lock = await acquireProcessLock(options.lockFile, { signal, waitMs, onWait });
    return whileLocked(lock, refreshRunning, () => {
      signal?.throwIfAborted();
      return act();
    });
  };

  /** The digest of the current files; see treeOf. */
  const tree = (): string | null =>
    treeOf(settings.collections(), transcripts, clock.now(), settings.sessions.retentionDays);

  /** Whether Markdown files changed since the last refresh. */
  const isStale = ({ updated }: ExtState): boolean => {
    if (updated === undefined || updated.tree === null || updated.tree !== tree()) return true;
    const { intervalMs } = settings.update;
    const hasOthers = settings.collections().some(({ pattern }) => !/\.md$/iu.test(pattern));
    return hasOthers && intervalMs > 0 && !isWithin(updated.atMs, clock.now(), intervalMs);
  };

  /** Exports conversations as Markdown; if they are not part of the memory, removes earlier exports. */
  const exportConversations = async ({ signal }: WorkOptions): Promise<readonly SkippedFile[]> => {
    const { exportSessions, removeExports } = await import('./export-sessions.js');
    const listFile = exportListFile(dir);
    if (transcripts === undefined) {
      removeExports(listFile);
      return [];
    }
    const { exportDir, retentionDays } = settings.sessions;
    const places = { transcripts, exportDir, listFile, forget };
    return exportSessions({ ...places, retentionDays, nowMs: clock.now(), signal });
  };

  return {
    withRefreshLock,
    tree,
    isStale,
    exportSessions: exportConversations,
    /**
     * Refreshes the index, unless another refresh has just done the same.
     *
     * @throws SvcError INDEX_LOCKED when another refresh runs for all of `waitMs`; ToolFailure; the signal's reason
     */
    refresh: async (tool: Tool, work: WorkOptions, how: RefreshOptions): Promise<ExtSyncResult> => {
      const { signal, onEvent } = work;
      const { isForced = false, waitMs, deadline = Number.POSITIVE_INFINITY } = how;
      const embedsNow = how.embedsNow && settings.mode !== 'search';
      const { syncExt, removeExtIndex, unchanged } = await import('./sync-ext.js');
      const before = readExtState(dir).collections;
      let hasWaited = false;
      const refresh = async (): Promise<ExtSyncResult> => {
        const state = readExtState(dir);
        const isEmbedded = !embedsNow || state.updated?.withoutVectors === 0;
        if (hasWaited && !isForced && isEmbedded && !isStale(state)) return unchanged(state);
        if (isForced) removeExtIndex(dir);
        const timeoutMs = Math.min(settings.update.commandTimeoutMs, msUntil(deadline));
        const features = await knownFeatures(tool, settings, { timeoutMs, signal });
        if (existsSync(workspaceDir)) {
          const memoryScan = scanMemoryFiles({ workspaceDir, layout: 'agent', extraPaths: [] });
          removeStrays(memoryScan, clock.now());
        }
        const skipped = await exportConversations(work);
        const target = { settings, tool, features, clock, modelsDir, skipped, tree: tree() };
        return syncExt({ ...target, signal, onEvent, embedsNow, deadline });
      };
      const result = await withRefreshLock(work, waitMs, refresh, () => {
        hasWaited = true;
      });
      const { hasNewCollections, state } = result;
      const hasChanged = hasNewCollections || !isDeepStrictEqual(before, state.collections);
      if (isForced || hasChanged) await options.onNewCollections();
      return result;
    },
  };
}

/** The record of exported conversations and their files. */
export function exportListFile(dir: string): string {
  return join(dir, 'exports.json');
}

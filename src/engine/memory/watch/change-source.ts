import { messageOf, SvcError, systemErrorCode } from '../../errors/index.js';
import type { Clock } from '../../support/context.js';
import type { TreeSnapshot } from '../index/index.js';
import { type MemorySources, scanSources } from '../sources/index.js';
import { isSameTree, snapshotOf } from '../sync/index.js';
import { FolderWatches, type FolderWatchesOptions, isWatchShortage } from './folder-watches.js';
import type { WatchEvent, WatchTiming } from './watch-events.js';

export interface ChangeSourceOptions extends Omit<FolderWatchesOptions, 'onShortage'> {
  readonly timing: WatchTiming;
  readonly clock: Clock;
  readonly onEvent: (event: WatchEvent) => void;
}

/** While polling, pauses are at least so many times as long as a scan takes. */
const PAUSE_FACTOR = 20;

export type ChangeSource = ReturnType<typeof createChangeSource>;

/** Reports changes of a memory's files: through file watches, or by polling while the system has none available. */
export function createChangeSource(options: ChangeSourceOptions) {
  const { sources, timing, onChange, onEvent } = options;
  const { pollMs, rewatchMs, settleMs } = timing;
  const hasChanged = createChangeDetector(sources, options.clock);
  const watches = new FolderWatches({ ...options, onShortage: (error) => fallBack(error) });
  let timer: NodeJS.Timeout | undefined;
  let settling: NodeJS.Timeout | undefined;
  let rewatchAtMs = 0;
  let mode: 'off' | 'polling' | 'watching' = 'off';

  /** Releases the existing watches: other programs need them too. */
  const fallBack = (error: unknown): void => {
    watches.close();
    rewatchAtMs = performance.now() + rewatchMs;
    if (mode === 'polling') return;
    mode = 'polling';
    onEvent({ type: 'polling', why: shortageOf(error), everyMs: pollMs });
    timer = setTimeout(poll, pollMs);
  };

  const tryWatching = (): void => {
    let hasOpened: boolean;
    try {
      hasOpened = watches.refresh();
    } catch (thrown) {
      // Reading an ignore file needs a handle too, and explains that there is none.
      const isExplained = thrown instanceof SvcError && thrown.code === 'HANDLES_EXHAUSTED';
      const error = isExplained ? thrown.cause : thrown;
      if (!isWatchShortage(error)) throw error;
      fallBack(error);
      return;
    }
    if (settleMs > 0 && hasOpened) {
      clearTimeout(settling);
      settling = setTimeout(() => onChange(sources.memory.workspaceDir), settleMs);
    }
    if (mode === 'watching') return;
    clearTimeout(timer);
    mode = 'watching';
    onEvent({ type: 'watching', folders: watches.count });
  };

  const poll = (): void => {
    const started = performance.now();
    if (started >= rewatchAtMs) tryWatching();
    if (hasChanged()) onChange(sources.memory.workspaceDir);
    if (mode !== 'polling') return;
    const tookMs = performance.now() - started;
    timer = setTimeout(poll, Math.max(pollMs, tookMs * PAUSE_FACTOR));
  };

  return {
    /** Call before each scan: later changes will be reported. */
    refresh: (): void => {
      if (mode !== 'polling' || performance.now() >= rewatchAtMs) tryWatching();
      if (mode === 'polling') hasChanged();
    },
    close: (): void => {
      mode = 'off';
      clearTimeout(timer);
      clearTimeout(settling);
      watches.close();
    },
  };
}

/** What ran out, in words. */
function shortageOf(error: unknown): string {
  switch (systemErrorCode(error)) {
    case 'ENOSPC':
      return 'the limit of file watches per user is reached (fs.inotify.max_user_watches)';
    case 'EMFILE':
      return 'no file handles or watch instances are left (ulimit -n, fs.inotify.max_user_instances)';
    default:
      return `file watching is unavailable (${messageOf(error)})`;
  }
}

/**
 * Detects changes of a memory's files without file watches.
 *
 * @returns whether anything may have changed since the last call. True for the first one, and while a file is so
 *   recent that its next change could go unnoticed
 */
function createChangeDetector(sources: MemorySources, clock: Clock): () => boolean {
  /** @returns a snapshot; the reason as text if nothing could be scanned */
  const snapshot = (): TreeSnapshot | string | undefined => {
    const scannedMs = clock.now();
    try {
      return snapshotOf(scanSources(sources).files, scannedMs);
    } catch (error) {
      // The workspace is missing or unreadable; a sync will report why.
      return error instanceof SvcError ? error.code : String(error);
    }
  };
  let last: ReturnType<typeof snapshot>;
  return () => {
    const before = last;
    const current = snapshot();
    last = current;
    if (typeof before === 'string' || typeof current === 'string') return before !== current;
    return before === undefined || current === undefined || !isSameTree(before, current);
  };
}

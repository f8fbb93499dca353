import { messageOf, SvcError, systemErrorCode } from '../../errors/index.js';
import type { Clock } from '../../support/context.js';
import type { TreeSnapshot } from '../index/index.js';
import { type MemorySources, scanSources } from '../sources/index.js';
import { isSameTree, snapshotOf } from '../sync/index.js';
import { FolderWatches, isWatchShortage, type OpenWatch } from './folder-watches.js';
import type { WatchEvent, WatchTiming } from './watch-events.js';

export interface ChangeSourceOptions {
  readonly sources: MemorySources;
  readonly timing: WatchTiming;
  readonly clock: Clock;
  readonly openWatch: OpenWatch;
  readonly onChange: (path: string) => void;
  readonly onEvent: (event: WatchEvent) => void;
}

/** Maximum share of the time spent scanning. */
const LOOK_SHARE = 20;

/** Reports changes of a memory's files: through file watches, or by polling while the system has none available. */
export class ChangeSource {
  private readonly options: ChangeSourceOptions;
  private readonly watches: FolderWatches;
  private readonly poll: () => boolean;
  private timer: NodeJS.Timeout | undefined;
  private rewatchAtMs = 0;
  private mode: 'off' | 'polling' | 'watching' = 'off';

  constructor(options: ChangeSourceOptions) {
    const { sources, openWatch, onChange, clock } = options;
    this.options = options;
    this.poll = createPoll(sources, clock);
    this.watches = new FolderWatches({
      sources,
      openWatch,
      onChange,
      onShortage: (error) => this.fallBack(error),
    });
  }

  /** Call before each scan: later changes will be reported. */
  refresh(): void {
    if (this.mode !== 'polling' || performance.now() >= this.rewatchAtMs) this.tryWatching();
    if (this.mode === 'polling') this.poll();
  }

  close(): void {
    this.mode = 'off';
    clearTimeout(this.timer);
    this.watches.close();
  }

  private tryWatching(): void {
    try {
      this.watches.refresh();
    } catch (thrown) {
      // Reading an ignore file needs a handle too, and explains that there is none.
      const isExplained = thrown instanceof SvcError && thrown.code === 'HANDLES_EXHAUSTED';
      const error = isExplained ? thrown.cause : thrown;
      if (!isWatchShortage(error)) throw error;
      this.fallBack(error);
      return;
    }
    if (this.mode === 'watching') return;
    clearTimeout(this.timer);
    this.mode = 'watching';
    this.options.onEvent({ type: 'watching', folders: this.watches.count });
  }

  /** Releases the existing watches: other programs need them too. */
  private fallBack(error: unknown): void {
    this.watches.close();
    const { pollMs, rewatchMs } = this.options.timing;
    this.rewatchAtMs = performance.now() + rewatchMs;
    if (this.mode === 'polling') return;
    this.mode = 'polling';
    this.options.onEvent({ type: 'polling', why: shortageOf(error), everyMs: pollMs });
    this.pollIn(pollMs);
  }

  private pollIn(waitMs: number): void {
    this.timer = setTimeout(() => this.lookAgain(), waitMs);
  }

  private lookAgain(): void {
    const started = performance.now();
    if (started >= this.rewatchAtMs) this.tryWatching();
    if (this.poll()) this.options.onChange(this.options.sources.memory.workspaceDir);
    if (this.mode !== 'polling') return;
    const tookMs = performance.now() - started;
    this.pollIn(Math.max(this.options.timing.pollMs, tookMs * LOOK_SHARE));
  }
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
function createPoll(sources: MemorySources, clock: Clock): () => boolean {
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
    const found = snapshot();
    last = found;
    if (typeof before === 'string' || typeof found === 'string') return before !== found;
    return before === undefined || found === undefined || !isSameTree(before, found);
  };
}

import { messageOf, SvcError, systemErrorCode } from '../../errors/index.js';
import type { TreeSnapshot } from '../index/index.js';
import { type MemorySources, scanSources } from '../sources/index.js';
import { isSameTree, snapshotOf } from '../sync/index.js';
import { FolderWatches, isWatchShortage, type OpenWatch, watchesTrees } from './folder-watches.js';
import type { WatchEvent, WatchMode, WatchTarget, WatchTiming } from './watch-events.js';

export interface ChangeSourceOptions {
  readonly sources: WatchTarget['sources'];
  readonly timing: WatchTiming;
  readonly now: () => number;
  readonly openWatch: OpenWatch;
  readonly platform: NodeJS.Platform;
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
  private current: Extract<WatchMode, 'off' | 'polling' | 'watching'> = 'off';
  private shortage: string | undefined;

  constructor(options: ChangeSourceOptions) {
    const { sources, openWatch, platform, onChange, now } = options;
    this.options = options;
    this.poll = createPoll(sources, now);
    this.watches = new FolderWatches({
      sources,
      openWatch,
      recursive: watchesTrees(platform),
      onChange,
      onShortage: (error) => this.fallBack(error),
    });
  }

  get mode(): WatchMode {
    return this.current;
  }

  /** Why file watching is unavailable; set while polling. */
  get why(): string | undefined {
    return this.shortage;
  }

  get folders(): number {
    return this.watches.count;
  }

  /** Call before each scan: later changes will be reported. */
  refresh(): void {
    if (this.current === 'polling' && performance.now() < this.rewatchAtMs) {
      this.poll();
      return;
    }
    this.tryWatching();
    if (this.current === 'polling') this.poll();
  }

  close(): void {
    this.current = 'off';
    this.stopPolling();
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
    if (this.current === 'watching') return;
    this.stopPolling();
    this.current = 'watching';
    this.options.onEvent({ type: 'watching', folders: this.folders });
  }

  /** Releases the existing watches: other programs need them too. */
  private fallBack(error: unknown): void {
    this.watches.close();
    const { pollMs, rewatchMs } = this.options.timing;
    this.rewatchAtMs = performance.now() + rewatchMs;
    this.shortage = shortageOf(error);
    if (this.current === 'polling') return;
    this.current = 'polling';
    this.options.onEvent({ type: 'polling', why: this.shortage, everyMs: pollMs });
    this.pollIn(pollMs);
  }

  private pollIn(waitMs: number): void {
    this.timer = setTimeout(() => this.lookAgain(), waitMs);
  }

  private lookAgain(): void {
    const started = performance.now();
    if (started >= this.rewatchAtMs) this.tryWatching();
    if (this.poll()) this.options.onChange(this.options.sources.memory.workspaceDir);
    if (this.current !== 'polling') return;
    const tookMs = performance.now() - started;
    this.pollIn(Math.max(this.options.timing.pollMs, tookMs * LOOK_SHARE));
  }

  private stopPolling(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.shortage = undefined;
  }
}

/** What ran out, in words. */
function shortageOf(error: unknown): string {
  const code = systemErrorCode(error);
  switch (code) {
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
 * @param now milliseconds since the epoch
 * @returns whether anything may have changed since the last call. True for the first one, and while a file is so
 *   recent that its next change could go unnoticed
 */
function createPoll(sources: MemorySources, now: () => number): () => boolean {
  /** A snapshot; the reason as text if nothing could be scanned. */
  let last: TreeSnapshot | string | undefined;
  const look = (): typeof last => {
    const scannedMs = now();
    try {
      return snapshotOf(scanSources(sources).files, scannedMs);
    } catch (error) {
      // The workspace is missing or unreadable; a sync will report why.
      return error instanceof SvcError ? error.code : String(error);
    }
  };
  return () => {
    const before = last;
    const found = look();
    last = found;
    if (typeof before === 'string' || typeof found === 'string') return before !== found;
    return before === undefined || found === undefined || !isSameTree(before, found);
  };
}

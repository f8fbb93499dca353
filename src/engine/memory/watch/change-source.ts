import { messageOf, systemErrorCode } from '../../errors/index.js';
import { FilePoll } from './file-poll.js';
import { FolderWatches } from './folder-watches.js';
import type { WatchEvent, WatchMode, WatchTarget, WatchTiming } from './memory-watcher.js';
import { isWatchShortage, type OpenWatch, watchesTrees } from './open-watch.js';

/** What a source of changes is told. */
export interface ChangeSourceOptions {
  readonly sources: WatchTarget['sources'];
  readonly timing: WatchTiming;
  readonly now: () => number;
  readonly openWatch: OpenWatch;
  readonly platform: NodeJS.Platform;
  readonly onChange: (path: string) => void;
  readonly onEvent: (event: WatchEvent) => void;
}

/** One look may take this share of the time at most. */
const LOOK_SHARE = 20;

/**
 * Tells that a memory's files changed: by the system's watches, and where those run out by looking
 * again and again, until there are watches again.
 */
export class ChangeSource {
  private readonly options: ChangeSourceOptions;
  private readonly watches: FolderWatches;
  private readonly poll: FilePoll;
  private timer: NodeJS.Timeout | undefined;
  private rewatchAtMs = 0;
  private current: Extract<WatchMode, 'off' | 'polling' | 'watching'> = 'off';
  private shortage: string | undefined;

  constructor(options: ChangeSourceOptions) {
    const { sources, openWatch, platform, onChange, now } = options;
    this.options = options;
    this.poll = new FilePoll(sources, now);
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

  /** Why there are no watches; set while polling. */
  get why(): string | undefined {
    return this.shortage;
  }

  get folders(): number {
    return this.watches.count;
  }

  /** To be called before each scan: what changes after it will be told. */
  refresh(): void {
    if (this.current === 'polling' && performance.now() < this.rewatchAtMs) {
      this.poll.look();
      return;
    }
    this.tryWatching();
    if (this.current === 'polling') this.poll.look();
  }

  close(): void {
    this.current = 'off';
    this.stopPolling();
    this.watches.close();
  }

  private tryWatching(): void {
    try {
      this.watches.refresh();
    } catch (error) {
      if (!isWatchShortage(error)) throw error;
      this.fallBack(error);
      return;
    }
    if (this.current === 'watching') return;
    this.stopPolling();
    this.current = 'watching';
    this.options.onEvent({ type: 'watching', folders: this.folders });
  }

  /** Gives back what watches there are: others need them too. */
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
    if (this.poll.look()) this.options.onChange(this.options.sources.memory.workspaceDir);
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
      return 'the system gives this user no more file watches (fs.inotify.max_user_watches)';
    case 'EMFILE':
      return 'no file handles or watchers are left (ulimit -n, fs.inotify.max_user_instances)';
    default:
      return `the system has no watches left (${messageOf(error)})`;
  }
}

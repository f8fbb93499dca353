import { deferred } from '../../support/async.js';
import type { Clock } from '../../support/context.js';
import { backoffMs, LONGEST_TIMER_MS } from '../../support/time.js';
import type { SyncEvent, SyncRequest, SyncSummary } from '../sync/index.js';
import { openWatchRecord, type WatchRecorder } from '../sync/watch-record.js';
import { type ChangeSource, createChangeSource } from './change-source.js';
import { openSystemWatch } from './folder-watches.js';
import {
  type SyncCause,
  WATCH_TIMING,
  type WatchEvent,
  type WatchFailure,
  type WatchOptions,
  type WatchTarget,
  type WatchTiming,
  watchFailureOf,
} from './watch-events.js';

/** What is reported of mirroring while passages are embedded; the rest would reset the progress of that. */
const FOLLOWED: ReadonlySet<SyncEvent['type']> = new Set([
  'document.indexed',
  'document.removed',
  'sync.finished',
]);

/**
 * Keeps one index fresh. Started once, closed once. Failed syncs do not end it; only bugs do, and `ended`
 * rejects with them.
 */
export class MemoryWatcher {
  private readonly end = deferred<void>();
  /** Rejects on a bug, after which the watcher is closed; resolves when it was closed. */
  readonly ended: Promise<void> = this.end.promise;
  private readonly target: WatchTarget;
  private readonly timing: WatchTiming;
  private readonly onEvent: (event: WatchEvent) => void;
  private readonly clock: Clock;
  private readonly source: ChangeSource | undefined;
  private readonly debounce: ReturnType<typeof createDebounce>;
  private readonly closing = new AbortController();
  private recorder: WatchRecorder | undefined;
  private stopFollowingServer: (() => void) | undefined;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  /** The running sync has mirrored the files, and embeds, or waits for another process that does. */
  private isEmbedding = false;
  /** Mirrors files that changed since then. */
  private following: Promise<void> | undefined;
  /** Something changed since the last sync scanned the files. */
  private isDirty = false;
  /** A burst ended while a sync was running. */
  private isDue = false;
  private failures = 0;

  constructor(target: WatchTarget, { clock, onEvent, timing, openWatch }: WatchOptions) {
    this.target = target;
    this.timing = { ...WATCH_TIMING, ...timing };
    this.onEvent = (event) => {
      if (event.type === 'watching') this.recorder?.write({ mode: 'watching' });
      if (event.type === 'polling') this.recorder?.write({ mode: 'polling', why: event.why });
      onEvent(event);
    };
    this.clock = clock;
    const longestMs = Math.max(this.timing.longestWaitMs, target.debounceMs);
    this.debounce = createDebounce(target.debounceMs, longestMs, () => this.onQuiet());
    if (target.watch) {
      this.source = createChangeSource({
        sources: target.sources,
        timing: this.timing,
        clock,
        openWatch: openWatch ?? openSystemWatch,
        onChange: (path) => this.onChange(path),
        onEvent: this.onEvent,
      });
    }
  }

  /** Sets up the watches and runs the first sync; resolves when that has succeeded or failed. */
  async start(): Promise<void> {
    await this.openRecord();
    const { syncsAtStart = true, intervalMs } = this.target;
    if (syncsAtStart) await this.run('start');
    else {
      this.source?.refresh();
      if (intervalMs > 0) this.runIn(intervalMs, 'interval');
    }
  }

  /** Releases all watches and timers; a running sync stops between two transactions. */
  async close(): Promise<void> {
    this.release();
    await this.running;
    await this.following;
    this.recorder?.close();
    this.end.resolve();
  }

  private release(): void {
    this.closing.abort();
    this.source?.close();
    this.stopFollowingServer?.();
    this.debounce.cancel();
    clearTimeout(this.timer);
  }

  private async openRecord(): Promise<void> {
    const recorder = await openWatchRecord(this.target.indexFile, this.clock.now());
    if (this.closing.signal.aborted) {
      recorder.close();
      return;
    }
    this.recorder = recorder;
    if (this.source === undefined) recorder.write({ mode: 'interval' });
  }

  private onChange(path: string): void {
    if (this.closing.signal.aborted) return;
    if (!this.isDirty) this.onEvent({ type: 'changed', path });
    this.syncSoon();
  }

  private syncSoon(): void {
    this.isDirty = true;
    this.debounce.touch();
  }

  /** A server that was lost can lack what was indexed last when it is back, so this is a change too. */
  private async followServer(): Promise<void> {
    const { server, watch } = this.target;
    if (!watch || server === undefined || this.stopFollowingServer !== undefined) return;
    this.stopFollowingServer = await server.onReconnected(() => this.syncSoon());
    if (this.closing.signal.aborted) this.stopFollowingServer();
  }

  private onQuiet(): void {
    if (this.running === undefined) {
      void this.run('changed');
      return;
    }
    this.isDue = true;
    this.followIfDue();
  }

  private followIfDue(): void {
    if (!this.isEmbedding || !this.isDue) return;
    this.following ??= this.endingOnBugs(() => this.follow()).finally(() => {
      this.following = undefined;
    });
  }

  /** Mirrors files while passages are embedded, which may take hours; the running sync embeds their passages, too. */
  private async follow(): Promise<void> {
    const { signal } = this.closing;
    while (this.isEmbedding && this.isDue) {
      this.isDue = false;
      this.isDirty = false;
      this.source?.refresh();
      try {
        const summary = await this.target.backend.sync({
          ...this.upkeep(),
          embeds: false,
          onEvent: (event) => {
            if (FOLLOWED.has(event.type)) this.onEvent({ type: 'progress', event });
          },
        });
        if (!signal.aborted) this.onEvent({ type: 'synced', cause: 'changed', summary });
      } catch (error) {
        if (!signal.aborted && watchFailureOf(error) === undefined) throw error;
        // The next sync reports it.
        this.needsSync();
        return;
      }
    }
    // The running sync may have looked for passages before these were there.
    if (!this.isEmbedding) this.needsSync();
  }

  private needsSync(): void {
    this.isDirty = true;
    this.isDue = true;
  }

  /** One sync at a time: it sets the timer of the next one, and changes meanwhile wait for its end, or its vectors. */
  private async run(cause: SyncCause): Promise<void> {
    if (this.closing.signal.aborted) return;
    this.running = this.endingOnBugs(() => this.sync(cause));
    await this.running;
    await this.following;
    this.running = undefined;
    const wasDue = this.isDue;
    this.isDue = false;
    if (wasDue && this.isDirty) void this.run('changed');
  }

  private async endingOnBugs(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.release();
      this.recorder?.close();
      this.end.reject(error);
    }
  }

  /** How a sync is asked for that a change or a timer causes. */
  private upkeep(): SyncRequest {
    const { signal } = this.closing;
    const { lockWaitMs } = this.timing;
    return {
      signal,
      lockWaitMs,
      // What changes meanwhile is mirrored. Should the other process end early, this one continues.
      embedWaitMs: Number.POSITIVE_INFINITY,
      // An active conversation changes with every turn.
      defersSmallGrowth: true,
      isUpkeep: true,
      waitsForJobs: false,
    };
  }

  /** @throws bugs */
  private async sync(cause: SyncCause): Promise<void> {
    clearTimeout(this.timer);
    const { signal } = this.closing;
    try {
      // Changes from here on need another sync: the scan comes later.
      this.debounce.cancel();
      this.isDirty = false;
      this.source?.refresh();
      this.onEvent({ type: 'syncing', cause });
      await this.followServer();
      const summary = await this.target.backend.sync({
        ...this.upkeep(),
        defersSmallGrowth: cause === 'changed',
        isUpkeep: cause !== 'start',
        onEvent: (event) => {
          this.onEvent({ type: 'progress', event });
          const waitsToEmbed = event.type === 'lock.waiting' && event.part === 'vectors';
          if (!waitsToEmbed && event.type !== 'embed.started') return;
          this.isEmbedding = true;
          // What changed while the files were mirrored.
          this.followIfDue();
        },
      });
      if (signal.aborted) return;
      this.afterSuccess(cause, summary);
    } catch (error) {
      if (signal.aborted) return;
      const failure = watchFailureOf(error);
      if (failure === undefined) throw error;
      this.afterFailure(failure);
    } finally {
      this.isEmbedding = false;
    }
  }

  private afterSuccess(cause: SyncCause, summary: SyncSummary): void {
    const { embedding } = summary;
    this.onEvent({ type: 'synced', cause, summary });
    if (embedding?.failure !== undefined) {
      this.afterFailure(embedding.failure);
      return;
    }
    this.failures = 0;
    const jobsWaitMs = (embedding?.pending ?? 0) > 0 ? this.timing.pendingMs : 0;
    const waits = [jobsWaitMs, this.target.intervalMs].filter((waitMs) => waitMs > 0);
    if (waits.length > 0) this.runIn(Math.min(...waits), 'interval');
  }

  private afterFailure(failure: WatchFailure): void {
    this.failures += 1;
    const { firstRetryMs, longestRetryMs } = this.timing;
    const retryInMs = backoffMs(this.failures, firstRetryMs, longestRetryMs);
    this.onEvent({ type: 'failed', failure, attempt: this.failures, retryInMs });
    this.runIn(retryInMs, 'retry');
  }

  private runIn(waitMs: number, cause: SyncCause): void {
    const onTime = (): void => {
      // What changed while the last sync embedded is still being mirrored.
      if (this.running === undefined) void this.run(cause);
      else this.needsSync();
    };
    this.timer = setTimeout(onTime, Math.min(waitMs, LONGEST_TIMER_MS));
  }
}

/**
 * Waits until a burst of events is over. One timer, however many events there are.
 *
 * @param longestMs an endless burst is cut after this
 */
function createDebounce(quietMs: number, longestMs: number, onQuiet: () => void) {
  let timer: NodeJS.Timeout | undefined;
  let firstMs = 0;
  let lastMs = 0;
  const fire = (): void => {
    const leftMs = Math.min(lastMs + quietMs, firstMs + longestMs) - performance.now();
    timer = leftMs > 0 ? setTimeout(fire, leftMs) : undefined;
    if (timer === undefined) onQuiet();
  };
  return {
    touch: (): void => {
      lastMs = performance.now();
      if (timer !== undefined) return;
      firstMs = lastMs;
      timer = setTimeout(fire, quietMs);
    },
    cancel: (): void => {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

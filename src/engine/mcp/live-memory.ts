import { EventEmitter } from 'node:events';
import { messageOf, SvcError } from '../errors/index.js';
import type { OpenedMemory } from '../memory/index.js';
import type { SyncEvent } from '../memory/sync/index.js';
import type { MemoryWatcher } from '../memory/watch/memory-watcher.js';
import type { WatchEvent, WatchTarget } from '../memory/watch/watch-events.js';
import { SharedOpening } from '../support/async.js';
import type { Clock } from '../support/context.js';

/** The server's log, never on the protocol's stream. Must not throw. */
export interface McpLog {
  /** Details such as syncs. */
  readonly info: (text: string) => void;
  /** Problems. */
  readonly warn: (text: string) => void;
}

export interface LiveMemoryOptions {
  /** Opens the server's memory for a long-lived process. */
  readonly open: () => Promise<OpenedMemory>;
  readonly clock: Clock;
  readonly log: McpLog;
}

/**
 * The memory of a server: opened on first use and then kept up to date. If opening fails, the next
 * request tries again, since the user may have fixed the configuration meanwhile.
 */
export class LiveMemory {
  private readonly options: LiveMemoryOptions;
  private readonly opening = new SharedOpening(() => this.start());
  private watcher: MemoryWatcher | undefined;
  private readonly closing = new AbortController();
  /** Since the index was last up to date. */
  private lastWarning: string | undefined;
  /** Any number of clients listens. */
  private readonly events = new EventEmitter<{ sync: [SyncEvent]; list: [] }>().setMaxListeners(0);

  constructor(options: LiveMemoryOptions) {
    this.options = options;
  }

  /** Milliseconds since the epoch. */
  nowMs(): number {
    return this.options.clock.now();
  }

  /** Opens the memory in the background and prepares for the first search. */
  warmUp(): void {
    this.opened().then(
      async ({ backend }) => {
        // Loads the code that searches need. Whether files are indexed now is up to `sync`.
        const query = { query: 'warm', maxResults: 1, lexicalOnly: true };
        const options = { signal: this.closing.signal, onEvent: this.emitSync, checksFiles: false };
        await backend.search(query, options).catch(() => undefined);
      },
      (error: unknown) => {
        if (!this.closing.signal.aborted) this.options.log.warn(errorText(error));
      },
    );
  }

  /** @throws SvcError as opening a memory */
  opened(): Promise<OpenedMemory> {
    return this.opening.get(this.closing.signal);
  }

  /** Receives the events of all syncs, in the background and by requests, which pass it to the backend. */
  readonly emitSync = (event: SyncEvent): void => {
    this.events.emit('sync', event);
    if (event.type !== 'sync.finished') return;
    const { added, removed, renamed } = event.summary;
    if (added + removed + renamed > 0) this.events.emit('list');
  };

  /** @returns unsubscribes */
  onSync(listener: (event: SyncEvent) => void): () => void {
    this.events.on('sync', listener);
    return () => void this.events.off('sync', listener);
  }

  /** Notifies of added and removed files. @returns unsubscribes */
  onListChange(listener: () => void): () => void {
    this.events.on('list', listener);
    return () => void this.events.off('list', listener);
  }

  /** Stops watching. Whoever opened the memory closes it. */
  async close(): Promise<void> {
    this.closing.abort(new SvcError('INTERRUPTED', 'the server is stopping'));
    await this.opening.end();
    await this.watcher?.close();
  }

  private async start(): Promise<OpenedMemory> {
    const memory = await this.options.open();
    const { watchTargetOf } = await import('../memory/watch/watch-events.js');
    const target = watchTargetOf(memory);
    // Changes since the last run are only noticed by a sync.
    const syncsAtStart = target.watch || memory.agent.memorySearch.sync.onSessionStart;
    const isKeptFresh = syncsAtStart || target.intervalMs > 0;
    if (isKeptFresh && !this.closing.signal.aborted) await this.watch({ ...target, syncsAtStart });
    return memory;
  }

  private async watch(target: WatchTarget): Promise<void> {
    const { MemoryWatcher } = await import('../memory/watch/memory-watcher.js');
    const { clock, log } = this.options;
    const watcher = new MemoryWatcher(target, {
      clock,
      onEvent: (event) => this.handleWatchEvent(event),
    });
    watcher.ended.catch((error: unknown) =>
      log.warn(`stopped watching files: ${errorText(error)}`),
    );
    this.watcher = watcher;
    // Searches are answered during the first sync. It reports failures by event.
    watcher.start().catch((error: unknown) => log.warn(errorText(error)));
  }

  /** The watcher tries again, and fails for the same reason. */
  private warnOnce(warning: string): void {
    if (warning !== this.lastWarning) this.options.log.warn(warning);
    this.lastWarning = warning;
  }

  private handleWatchEvent(event: WatchEvent): void {
    const { log } = this.options;
    switch (event.type) {
      case 'progress':
        this.emitSync(event.event);
        break;
      case 'synced': {
        const { added, changed, removed } = event.summary;
        const files = `${added} added, ${changed} changed, ${removed} removed`;
        log.info(`index is up to date: ${files}`);
        this.lastWarning = undefined;
        break;
      }
      case 'polling':
        log.warn(`file watching is unavailable; polling instead: ${event.why}`);
        break;
      case 'failed':
        this.warnOnce(`cannot update the index: ${withHint(event.failure)}`);
        break;
    }
  }
}

type LocatedProblem = Pick<SvcError, 'message'> & Partial<Pick<SvcError, 'hint' | 'location'>>;

function errorText(error: unknown): string {
  return error instanceof SvcError ? withHint(error) : messageOf(error);
}

function withHint({ message, location, hint }: LocatedProblem): string {
  const lines = [message];
  if (location !== undefined) {
    lines.push(`     at: ${location.file}:${location.line}:${location.column}`);
  }
  if (hint !== undefined) lines.push(`   hint: ${hint}`);
  return lines.join('\n');
}

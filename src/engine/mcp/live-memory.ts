import type { Clock } from '../context.js';
import { messageOf, SvcError } from '../errors/index.js';
import type { OpenedMemory } from '../memory/open-memory.js';
import type { SyncEvent } from '../memory/sync/events.js';
import type { MemoryWatcher, WatchEvent } from '../memory/watch/memory-watcher.js';
import { Listeners } from './listeners.js';
import type { McpLog } from './mcp-log.js';

/** What a live memory is made of. */
export interface LiveMemoryOptions {
  /** Opens the one memory that this server is for, as one that lives long. */
  readonly open: () => Promise<OpenedMemory>;
  readonly clock: Clock;
  readonly log: McpLog;
}

/**
 * The memory behind a server: opened when it is first needed, kept fresh from then on. One that cannot
 * be opened, because its configuration is at fault, is tried anew by whoever asks next: the server
 * outlives what a person mends meanwhile.
 */
export class LiveMemory {
  private readonly options: LiveMemoryOptions;
  private opening: Promise<OpenedMemory> | undefined;
  private watcher: MemoryWatcher | undefined;
  private readonly closing = new AbortController();
  private readonly syncListeners = new Listeners<SyncEvent>();
  private readonly listListeners = new Listeners<void>();

  constructor(options: LiveMemoryOptions) {
    this.options = options;
  }

  /** Opens the memory in the background and makes everything ready for the first question. */
  warmUp(): void {
    this.opened().then(
      async ({ backend }) => {
        // Loads what a search needs, while nobody waits for it.
        const warming = { query: 'warm', maxResults: 1, lexicalOnly: true };
        const { signal } = this.closing;
        await backend.search(warming, { signal, onEvent: this.heardSync }).catch(() => undefined);
      },
      (error: unknown) => this.options.log.warn(wordsOf(error)),
    );
  }

  /** @throws SvcError as opening a memory does */
  opened(): Promise<OpenedMemory> {
    if (this.closing.signal.aborted) {
      return Promise.reject(new SvcError('INTERRUPTED', 'the server is stopping'));
    }
    this.opening ??= this.start().catch((error: unknown) => {
      this.opening = undefined;
      throw error;
    });
    return this.opening;
  }

  /**
   * What every sync tells, those in the background and those that a call does on its way. Calls hand
   * it to the backend.
   */
  readonly heardSync = (event: SyncEvent): void => {
    this.syncListeners.tell(event);
    if (event.type !== 'sync.finished') return;
    const { added, removed, renamed } = event.summary;
    if (added + removed + renamed > 0) this.listListeners.tell();
  };

  /** Hears what syncs do, whoever began them. @returns what ends it */
  onSync(listener: (event: SyncEvent) => void): () => void {
    return this.syncListeners.add(listener);
  }

  /** Hears that files came or went. @returns what ends it */
  onListChange(listener: () => void): () => void {
    return this.listListeners.add(listener);
  }

  /** Ends the watching; what a sync has done is kept. The memory is closed by whoever opened it. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.opening?.catch(() => undefined);
    await this.watcher?.close();
  }

  private async start(): Promise<OpenedMemory> {
    const memory = await this.options.open();
    const { sync } = memory.agent.memorySearch;
    const isKeptFresh = sync.watch || sync.intervalMinutes > 0 || sync.onSessionStart;
    if (isKeptFresh && !this.closing.signal.aborted) await this.watch(memory);
    return memory;
  }

  private async watch(memory: OpenedMemory): Promise<void> {
    const { watchMemory } = await import('../memory/watch/watch-memory.js');
    const { watchTargetOf } = await import('../memory/watch/watch-target.js');
    const { clock, log } = this.options;
    const watcher = watchMemory(watchTargetOf(memory), {
      clock,
      onEvent: (event) => this.heard(event),
    });
    watcher.ended.catch((error: unknown) => log.warn(`watching ended: ${wordsOf(error)}`));
    this.watcher = watcher;
    // Questions are answered while the first sync goes on. It fails by an event, not by throwing.
    watcher.start().catch((error: unknown) => log.warn(wordsOf(error)));
  }

  private heard(event: WatchEvent): void {
    const { log } = this.options;
    switch (event.type) {
      case 'progress':
        this.heardSync(event.event);
        break;
      case 'synced': {
        const { added, changed, removed } = event.summary;
        const files = `${added} added, ${changed} changed, ${removed} removed`;
        log.info(`index is up to date: ${files}`);
        break;
      }
      case 'polling':
        log.warn(`no watches are to be had, files are looked at again and again: ${event.why}`);
        break;
      case 'failed':
        log.warn(`the index could not be updated: ${withMend(event.failure)}`);
        break;
    }
  }
}

interface Told {
  readonly message: string;
  readonly hint?: string | undefined;
}

function wordsOf(error: unknown): string {
  return error instanceof SvcError ? withMend(error) : messageOf(error);
}

/** What went wrong, and how to mend it where that is known. */
function withMend({ message, hint }: Told): string {
  return hint === undefined ? message : `${message}\n   mend: ${hint}`;
}

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

export type LiveMemory = ReturnType<typeof createLiveMemory>;

/**
 * The memory of a server: opened on first use and then kept up to date. If opening fails, the next
 * request tries again, since the user may have fixed the configuration meanwhile.
 */
export function createLiveMemory({ open, clock, log }: LiveMemoryOptions) {
  const closing = new AbortController();
  const { signal } = closing;
  /** Any number of clients listens. */
  const events = new EventEmitter<{ sync: [SyncEvent]; list: [] }>().setMaxListeners(0);
  let watcher: MemoryWatcher | undefined;
  /** Since the index was last up to date. */
  let lastWarning: string | undefined;
  /** Receives the events of all syncs, in the background and by requests, which pass it to the backend. */
  const emitSync = (event: SyncEvent): void => {
    events.emit('sync', event);
    if (event.type !== 'sync.finished') return;
    const { added, removed, renamed } = event.summary;
    if (added + removed + renamed > 0) events.emit('list');
  };
  const handleWatchEvent = (event: WatchEvent): void => {
    switch (event.type) {
      case 'progress':
        emitSync(event.event);
        break;
      case 'synced': {
        const { added, changed, removed } = event.summary;
        const files = `${added} added, ${changed} changed, ${removed} removed`;
        log.info(`index is up to date: ${files}`);
        lastWarning = undefined;
        break;
      }
      case 'polling':
        log.warn(`file watching is unavailable; polling instead: ${event.why}`);
        break;
      case 'failed': {
        const warning = `cannot update the index: ${withHint(event.failure)}`;
        // The watcher tries again, and fails for the same reason.
        if (warning !== lastWarning) log.warn(warning);
        lastWarning = warning;
        break;
      }
    }
  };
  const watch = async (target: WatchTarget): Promise<void> => {
    const { MemoryWatcher } = await import('../memory/watch/memory-watcher.js');
    watcher = new MemoryWatcher(target, { clock, onEvent: handleWatchEvent });
    watcher.ended.catch((error: unknown) =>
      log.warn(`stopped watching files: ${errorText(error)}`),
    );
    // Searches are answered during the first sync. It reports failures by event.
    watcher.start().catch((error: unknown) => log.warn(errorText(error)));
  };
  const opening = new SharedOpening(async () => {
    const memory = await open();
    const { watchTargetOf } = await import('../memory/watch/watch-events.js');
    const target = watchTargetOf(memory);
    // Changes since the last run are only noticed by a sync.
    const syncsAtStart = target.watch || memory.agent.memorySearch.sync.onSessionStart;
    const isKeptFresh = syncsAtStart || target.intervalMs > 0;
    if (isKeptFresh && !signal.aborted) await watch({ ...target, syncsAtStart });
    return memory;
  });
  /** @throws SvcError as opening a memory */
  const opened = (): Promise<OpenedMemory> => opening.get(signal);
  return {
    /** Milliseconds since the epoch. */
    nowMs: (): number => clock.now(),
    /** Opens the memory in the background and prepares for the first search. */
    warmUp: (): void => {
      opened().then(
        async ({ backend }) => {
          // Loads the code that searches need. Whether files are indexed now is up to `sync`.
          const query = { query: 'warm', maxResults: 1, lexicalOnly: true };
          const options = { signal, onEvent: emitSync, checksFiles: false };
          await backend.search(query, options).catch(() => undefined);
        },
        (error: unknown) => {
          if (!signal.aborted) log.warn(errorText(error));
        },
      );
    },
    opened,
    emitSync,
    /** @returns unsubscribes */
    onSync: (listener: (event: SyncEvent) => void): (() => void) => {
      events.on('sync', listener);
      return () => void events.off('sync', listener);
    },
    /** Notifies of added and removed files. @returns unsubscribes */
    onListChange: (listener: () => void): (() => void) => {
      events.on('list', listener);
      return () => void events.off('list', listener);
    },
    /** Stops watching. Whoever opened the memory closes it. */
    close: async (): Promise<void> => {
      closing.abort(new SvcError('INTERRUPTED', 'the server is stopping'));
      await opening.end();
      await watcher?.close();
    },
  };
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

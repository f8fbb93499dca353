import * as assert from 'uvu/assert';
import type { KeptIndex } from '../../src/engine/memory/keeper/sync-index.js';
import { type OpenWatch, openSystemWatch } from '../../src/engine/memory/watch/folder-watches.js';
import { MemoryWatcher } from '../../src/engine/memory/watch/memory-watcher.js';
import type {
  WatchEvent,
  WatchFailure,
  WatchTarget,
  WatchTiming,
} from '../../src/engine/memory/watch/watch-events.js';
import { contentOf } from './index-content.js';
import { backendOn, type TargetOptions, targetOf } from './memory.js';
import { PATIENCE_MS } from './wait.js';

/** A watcher under test, and all events that it reported. */
export interface TestWatcher {
  readonly watcher: MemoryWatcher;
  readonly target: KeptIndex;
  readonly events: readonly WatchEvent[];
  /** How many syncs have succeeded. */
  readonly syncs: () => number;
  /** The failure that will be retried, if the last sync failed. */
  readonly failure: () => WatchFailure | undefined;
  /** How it detects changes, by its last event; undefined before. */
  readonly mode: () => 'polling' | 'watching' | undefined;
  /** How many watches are open. */
  readonly openWatches: () => number;
  /** Resolves with the first event from `since` on that fits; fails when none comes. */
  readonly until: (fits: (event: WatchEvent) => boolean, since?: number) => Promise<WatchEvent>;
  /** Resolves once no sync is running and the index equals a fresh one of the same files; fails when it never does. */
  readonly whenUpToDate: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** How a watcher of a test differs from an ordinary one. */
export interface TestWatcherOptions extends TargetOptions {
  readonly watch?: boolean;
  readonly debounceMs?: number;
  readonly intervalMs?: number;
  readonly timing?: Partial<WatchTiming>;
  readonly openWatch?: OpenWatch;
  /** The `sync` that the watcher calls instead of that of the real backend. */
  readonly sync?: (real: WatchTarget['backend']) => WatchTarget['backend']['sync'];
}

/** Makes a watcher of a workspace, not started yet. */
export function testWatcher(workspaceDir: string, options: TestWatcherOptions = {}): TestWatcher {
  const target = targetOf(workspaceDir, { layout: 'agent', ...options });
  const real = backendOn(target);
  const events: WatchEvent[] = [];
  const listeners = new Set<() => void>();
  let open = 0;
  const openWatch: OpenWatch = (...args) => {
    const watch = (options.openWatch ?? openSystemWatch)(...args);
    open += 1;
    return {
      close: () => {
        open -= 1;
        watch.close();
      },
    };
  };
  const last = (...types: readonly WatchEvent['type'][]): WatchEvent | undefined =>
    events.findLast(({ type }) => types.includes(type));
  const watcher = new MemoryWatcher(
    {
      sources: target.sources,
      backend: options.sync === undefined ? real : { sync: options.sync(real) },
      watch: options.watch ?? true,
      debounceMs: options.debounceMs ?? 20,
      intervalMs: options.intervalMs ?? 0,
      indexFile: target.indexFile,
    },
    {
      clock: { now: Date.now },
      timing: { firstRetryMs: 20, ...options.timing },
      openWatch,
      onEvent: (event) => {
        events.push(event);
        for (const listener of [...listeners]) listener();
      },
    },
  );
  const until = (fits: (event: WatchEvent) => boolean, since = 0): Promise<WatchEvent> =>
    new Promise((resolve, reject) => {
      const onChange = (): void => {
        const event = events.slice(since).find(fits);
        if (event === undefined) return;
        clearTimeout(timer);
        listeners.delete(onChange);
        resolve(event);
      };
      const timer = setTimeout(() => {
        listeners.delete(onChange);
        const types = events.filter(({ type }) => type !== 'progress').map(({ type }) => type);
        reject(new Error(`never came; these did: ${types.join(' ')}`));
      }, PATIENCE_MS);
      listeners.add(onChange);
      onChange();
    });
  const whenUpToDate = async (): Promise<void> => {
    for (;;) {
      const since = events.length;
      const fresh = await freshContent(target);
      const kept = await contentOf(target.indexFile);
      const isSame = JSON.stringify(kept) === JSON.stringify(fresh);
      // A sync that has just committed still has to be counted and announced.
      if (isSame && last('syncing', 'synced', 'failed')?.type !== 'syncing') return;
      await until(({ type }) => type === 'synced', since).catch((error: unknown) => {
        assert.equal(kept, fresh);
        throw error;
      });
    }
  };
  const close = async (): Promise<void> => {
    await watcher.close();
    await real.close();
  };
  return {
    watcher,
    target,
    events,
    syncs: () => events.filter(({ type }) => type === 'synced').length,
    failure: () => {
      const event = last('synced', 'failed');
      return event?.type === 'failed' ? event.failure : undefined;
    },
    mode: () => {
      const event = last('watching', 'polling');
      return event?.type === 'watching' || event?.type === 'polling' ? event.type : undefined;
    },
    openWatches: () => open,
    until,
    whenUpToDate,
    close,
  };
}

/** The content of a new index of the same files. */
async function freshContent({ sources, settings }: KeptIndex): Promise<unknown> {
  const target = { ...targetOf(sources.memory.workspaceDir), sources, settings };
  const backend = backendOn(target);
  await backend.sync({});
  await backend.close();
  return contentOf(target.indexFile);
}

import { isFaultySkip, type OpenedMemory, watchOutput } from '../engine/memory/index.js';
import { type WatchEvent, watchTargetOf } from '../engine/memory/watch/index.js';
import { MemoryWatcher } from '../engine/memory/watch/memory-watcher.js';
import type { Clock } from '../engine/support/context.js';
import { createSyncLines, createWatchLines } from '../ui/memory/sync-lines.js';
import { shownPath } from '../ui/safe-text.js';
import { createStyle } from '../ui/style.js';
import { print, stdoutLost } from './print.js';
import { screenOptions, type TerminalSupport } from './terminal.js';

/** How watching is shown. */
export interface ShownWatchOptions {
  readonly terminal: TerminalSupport;
  /** Show failures only. */
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly json: boolean;
  readonly homeDir: string;
  readonly clock: Clock;
  /** Stops watching. */
  readonly signal: AbortSignal;
  readonly onInterrupt: () => void;
}

/** Shows the events of the watchers. */
interface WatchView {
  readonly onEvent: (row: number, event: WatchEvent) => void;
  readonly close: () => Promise<void>;
}

/** Keeps the indexes of these memories up to date until the user or the system stops it. */
export async function shownWatch(
  memories: readonly OpenedMemory[],
  options: ShownWatchOptions,
): Promise<void> {
  const { clock, signal, onInterrupt } = options;
  const view = await createView(memories, options);
  const watchers = memories.map(
    (memory, row) =>
      new MemoryWatcher(watchTargetOf(memory, true), {
        clock,
        onEvent: (event) => view.onEvent(row, event),
      }),
  );
  process.on('SIGTERM', onInterrupt);
  // Stop when the reader of the pipe is gone.
  stdoutLost.addEventListener('abort', onInterrupt);
  try {
    const started = Promise.all(watchers.map((watcher) => watcher.start()));
    const stopped = aborted(signal);
    // A watcher only ends before the signal because of a bug.
    await Promise.race([
      stopped,
      started.then(() => stopped),
      ...watchers.map(({ ended }) => ended),
    ]);
  } finally {
    await Promise.all(watchers.map((watcher) => watcher.close()));
    await view.close();
    process.off('SIGTERM', onInterrupt);
    stdoutLost.removeEventListener('abort', onInterrupt);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

async function createView(
  memories: readonly OpenedMemory[],
  options: ShownWatchOptions,
): Promise<WatchView> {
  if (options.json) return jsonView(memories, options.clock);
  if (!options.terminal.screen || options.quiet) return linesView(memories, options);
  const { openWatchScreen } = await import('../ui/screens/watch/run.js');
  return openWatchScreen({
    ...screenOptions(options.terminal),
    rows: memories.map(({ name, agent }) => {
      return { name, place: shownPath(agent.workspaceDir, options.homeDir) };
    }),
    now: () => options.clock.now(),
    onInterrupt: options.onInterrupt,
  });
}

/** One JSON document per line. */
function jsonView(memories: readonly OpenedMemory[], clock: Clock): WatchView {
  return {
    onEvent: (row, event) => {
      const memory = memories[row];
      const line = memory === undefined ? undefined : watchOutput(memory, event, clock.now());
      if (line !== undefined) print(`${JSON.stringify(line)}\n`);
    },
    close: async () => undefined,
  };
}

function linesView(memories: readonly OpenedMemory[], options: ShownWatchOptions): WatchView {
  const { terminal, quiet, verbose, clock } = options;
  const style = createStyle(terminal.color);
  const note = (line: string): void => {
    process.stderr.write(line);
  };
  const write = (line: string): void => {
    if (!quiet) print(line);
  };
  const rows = memories.map(({ name }) => {
    const now = (): number => clock.now();
    return {
      tell: createWatchLines({ style, name, verbose, now, write, note }),
      newSyncLines: () =>
        createSyncLines(note, {
          style,
          verbose,
          quiet,
          now: () => performance.now(),
          label: name,
          isFaulty: isFaultySkip,
        }),
    };
  });
  const progress = new Map<number, ReturnType<typeof createSyncLines>>();
  return {
    onEvent: (at, event) => {
      const row = rows[at];
      if (row === undefined) return;
      // Progress of the first sync only, which may take long; for others the result is enough.
      if (event.type === 'syncing') {
        progress.delete(at);
        if (event.cause === 'start' || verbose) progress.set(at, row.newSyncLines());
      }
      if (event.type === 'progress') progress.get(at)?.(event.event);
      row.tell(event);
    },
    close: async () => undefined,
  };
}

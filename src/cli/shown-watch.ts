import type { Clock } from '../engine/context.js';
import type { OpenedMemory } from '../engine/memory/open-memory.js';
import { watchOutput } from '../engine/memory/output.js';
import { isFaultySkip } from '../engine/memory/types.js';
import type { WatchEvent } from '../engine/memory/watch/memory-watcher.js';
import { watchMemory } from '../engine/memory/watch/watch-memory.js';
import { watchTargetOf } from '../engine/memory/watch/watch-target.js';
import { createSyncLines } from '../ui/memory/sync-lines.js';
import { createWatchLines } from '../ui/memory/watch-lines.js';
import { shownPath } from '../ui/shown-path.js';
import { createStyle } from '../ui/style.js';
import type { TerminalSupport } from './terminal.js';

/** How watching is shown. */
export interface ShownWatchOptions {
  readonly terminal: TerminalSupport;
  /** Only failures are told. */
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly json: boolean;
  readonly homeDir: string;
  readonly clock: Clock;
  /** Ends the watching. */
  readonly signal: AbortSignal;
  readonly onInterrupt: () => void;
}

/** One reader of what the watchers tell. */
interface WatchView {
  readonly onEvent: (row: number, event: WatchEvent) => void;
  readonly close: () => Promise<void>;
}

/** Keeps these memories' indexes fresh until the person, or the system, ends it. */
export async function shownWatch(
  memories: readonly OpenedMemory[],
  options: ShownWatchOptions,
): Promise<void> {
  const { clock, signal, onInterrupt } = options;
  const view = await createView(memories, options);
  const watchers = memories.map((memory, row) =>
    watchMemory(watchTargetOf(memory, true), {
      clock,
      onEvent: (event) => view.onEvent(row, event),
    }),
  );
  process.on('SIGTERM', onInterrupt);
  // Whoever read the lines is gone: nobody would notice that this goes on.
  process.stdout.once('error', onInterrupt);
  try {
    const started = Promise.all(watchers.map((watcher) => watcher.start()));
    const stopped = aborted(signal);
    // Ends with the signal; before it only by what is a bug.
    await Promise.race([
      stopped,
      started.then(() => stopped),
      ...watchers.map(({ ended }) => ended),
    ]);
  } finally {
    await Promise.all(watchers.map((watcher) => watcher.close()));
    await view.close();
    process.off('SIGTERM', onInterrupt);
    process.stdout.off('error', onInterrupt);
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
    stdin: process.stdin,
    stdout: process.stdout,
    style: createStyle(options.terminal.color),
    rows: memories.map(({ name, agent }) => {
      return { name, place: shownPath(agent.workspaceDir, options.homeDir) };
    }),
    now: () => options.clock.now(),
    onInterrupt: options.onInterrupt,
  });
}

/** A document a line, for programs that read on. */
function jsonView(memories: readonly OpenedMemory[], clock: Clock): WatchView {
  return {
    onEvent: (row, event) => {
      const memory = memories[row];
      const line = memory === undefined ? undefined : watchOutput(memory, event, clock.now());
      if (line !== undefined) process.stdout.write(`${JSON.stringify(line)}\n`);
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
    if (!quiet) process.stdout.write(line);
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
      // Of the first sync, which may take long; of the others what came of them says enough.
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

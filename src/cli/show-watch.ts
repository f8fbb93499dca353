import { once } from 'node:events';
import { type OpenedMemory, watchOutput } from '../engine/memory/index.js';
import { MemoryWatcher } from '../engine/memory/watch/memory-watcher.js';
import { type WatchEvent, watchTargetOf } from '../engine/memory/watch/watch-events.js';
import type { Clock } from '../engine/support/context.js';
import { runningMs } from '../engine/support/time.js';
import { createSyncLines, createWatchLines } from '../ui/memory/sync-lines.js';
import { shownPath } from '../ui/safe-text.js';
import { type CommandContext, withShownHint } from './command-context.js';
import { print, printJson, stdoutLost } from './print.js';
import { writeStderr } from './stderr.js';
import { screenOptions } from './terminal.js';

interface WatchView {
  readonly onEvent: (row: number, event: WatchEvent) => void;
  readonly close?: () => Promise<void>;
}

/** Keeps the indexes of these memories up to date until the user or the system stops it. */
export async function showWatch(
  memories: readonly OpenedMemory[],
  command: CommandContext,
): Promise<void> {
  const { signal, onInterrupt } = command;
  const { clock } = command.context;
  const view = await createView(memories, command);
  const shown = (event: WatchEvent): WatchEvent =>
    event.type === 'failed'
      ? { ...event, failure: withShownHint(event.failure, command.view) }
      : event;
  const watchers = memories.map(
    (memory, row) =>
      new MemoryWatcher(watchTargetOf(memory, true), {
        clock,
        onEvent: (event) => view.onEvent(row, shown(event)),
      }),
  );
  process.on('SIGTERM', onInterrupt);
  // Stop when the reader of the pipe is gone.
  stdoutLost.addEventListener('abort', onInterrupt);
  try {
    const started = Promise.all(watchers.map((watcher) => watcher.start()));
    const stopped: Promise<unknown> = signal.aborted ? Promise.resolve() : once(signal, 'abort');
    // A watcher only ends before the signal because of a bug.
    await Promise.race([
      stopped,
      started.then(() => stopped),
      ...watchers.map(({ ended }) => ended),
    ]);
  } finally {
    await Promise.all(watchers.map((watcher) => watcher.close()));
    await view.close?.();
    process.off('SIGTERM', onInterrupt);
    stdoutLost.removeEventListener('abort', onInterrupt);
  }
}

async function createView(
  memories: readonly OpenedMemory[],
  command: CommandContext,
): Promise<WatchView> {
  const { json, quiet, terminal, view, onInterrupt } = command;
  const { clock } = command.context;
  if (json) return jsonView(memories, clock);
  if (!terminal.screen || quiet) return linesView(memories, command);
  const { openWatchScreen } = await import('../ui/screens/watch/run.js');
  return openWatchScreen({
    ...screenOptions(terminal),
    rows: memories.map(({ name, agent }) => {
      return { name, folder: shownPath(agent.workspaceDir, view.homeDir) };
    }),
    now: clock.now,
    onInterrupt,
  });
}

/** One JSON document per line. */
function jsonView(memories: readonly OpenedMemory[], clock: Clock): WatchView {
  return {
    onEvent: (row, event) => {
      const memory = memories[row];
      const line = memory === undefined ? undefined : watchOutput(memory, event, clock.now());
      if (line !== undefined) printJson(`${JSON.stringify(line)}\n`);
    },
  };
}

function linesView(memories: readonly OpenedMemory[], command: CommandContext): WatchView {
  const { quiet, verbose } = command;
  const { style } = command.view;
  const write = (line: string): void => {
    if (!quiet) print(line);
  };
  const { now } = command.context.clock;
  const rows = memories.map(({ name }) => {
    const show = createWatchLines({ style, name, verbose, now, write, note: writeStderr });
    let showProgress: ReturnType<typeof createSyncLines> | undefined;
    return (event: WatchEvent): void => {
      // Progress of the first sync only, which may take long; for others the result is enough.
      if (event.type === 'syncing') {
        const isShown = !quiet && (event.cause === 'start' || verbose);
        const options = { style, verbose, now: runningMs, label: name };
        showProgress = isShown ? createSyncLines(writeStderr, options) : undefined;
      }
      if (event.type === 'progress') showProgress?.(event.event);
      show(event);
    };
  });
  return { onEvent: (row, event) => rows[row]?.(event) };
}

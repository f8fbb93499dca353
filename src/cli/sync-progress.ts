import type { SyncEvent } from '../engine/memory/sync/events.js';
import { isFaultySkip } from '../engine/memory/types.js';
import { runningMs } from '../engine/running-ms.js';
import { createStyle } from '../ui/style.js';
import type { TerminalSupport } from './terminal.js';

/** Shows how the index is brought up to date while something else is waited for. */
export interface SyncProgress {
  readonly onEvent: (event: SyncEvent) => void;
  /** Must be called before anything else is written to the terminal. */
  readonly clear: () => void;
}

/** How much is said. */
export interface SyncProgressOptions {
  readonly terminal: TerminalSupport;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

/**
 * A line that redraws itself on a terminal; plain lines on stderr otherwise, and only where a first
 * index or a long update makes a person wait. Nothing is loaded before the first event.
 */
export async function createSyncProgress(options: SyncProgressOptions): Promise<SyncProgress> {
  const style = createStyle(options.terminal.progress);
  const write = (text: string): void => {
    process.stderr.write(text);
  };
  const now = (): number => runningMs();
  if (options.terminal.progress && !options.verbose && !options.quiet) {
    const { createProgressLine } = await import('../ui/progress-line.js');
    return createProgressLine(write, { style, columns: options.terminal.columns, now });
  }
  const { createSyncLines } = await import('../ui/memory/sync-lines.js');
  const onEvent = createSyncLines(write, {
    style,
    now,
    quiet: options.quiet,
    verbose: options.verbose,
    isFaulty: isFaultySkip,
  });
  return { onEvent, clear: () => undefined };
}

/** The same, made when the first event comes: most searches have nothing to sync. */
export function createLazySyncProgress(options: SyncProgressOptions): SyncProgress {
  let progress: SyncProgress | undefined;
  const early: SyncEvent[] = [];
  let cleared = false;
  const load = (): void => {
    void createSyncProgress(options).then((made) => {
      if (cleared) return;
      progress = made;
      for (const event of early) made.onEvent(event);
    });
  };
  return {
    onEvent: (event) => {
      if (progress !== undefined) {
        progress.onEvent(event);
        return;
      }
      early.push(event);
      if (early.length === 1) load();
    },
    clear: () => {
      cleared = true;
      progress?.clear();
    },
  };
}

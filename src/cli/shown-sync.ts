import type { SecretMask } from '../engine/masking/index.js';
import { isFaultySkip, type OpenedMemory } from '../engine/memory/index.js';
import type { SyncEvent, SyncSummary } from '../engine/memory/sync/index.js';
import { runningMs } from '../engine/support/time.js';
import type { ProgressLine } from '../ui/progress-line.js';
import { shownPath } from '../ui/safe-text.js';
import { createStyle } from '../ui/style.js';
import { screenOptions, type TerminalSupport } from './terminal.js';

/** How a sync is shown. */
export interface ShownSyncOptions {
  readonly force: boolean;
  /** With `force`: also embed every passage again. */
  readonly reembeds?: boolean;
  readonly terminal: TerminalSupport;
  /** No progress and no summary. */
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly json?: boolean;
  readonly homeDir: string;
  readonly signal: AbortSignal;
  readonly onInterrupt: () => void;
  /** For the screen and the progress, which do not go through `write`. */
  readonly mask: SecretMask;
  /** Writes to stdout; nothing in JSON mode. */
  readonly write: (text: string) => void;
}

/** Brings an index up to date, with progress and a summary. */
export async function shownSync(
  memory: OpenedMemory,
  options: ShownSyncOptions,
): Promise<SyncSummary> {
  const { force, reembeds = false, signal, onInterrupt, write, mask } = options;
  const { terminal, quiet = false, verbose = false, json = false, homeDir } = options;
  const style = createStyle(terminal.color);
  const start = (onEvent: (event: SyncEvent) => void): Promise<SyncSummary> =>
    memory.backend.sync({ force, reembeds, signal, onEvent: (event) => onEvent(mask.data(event)) });
  if (terminal.screen && !quiet) {
    const { loadIndexScreen } = await import('./index-screen.js');
    const { runIndexScreen } = await loadIndexScreen();
    return runIndexScreen({
      ...screenOptions(terminal),
      title: {
        agentId: memory.name,
        place: shownPath(memory.agent.workspaceDir, homeDir),
        backend: memory.agent.backend,
      },
      now: runningMs,
      start,
      onInterrupt,
      verbose,
      isFaulty: isFaultySkip,
    });
  }
  const progress = await createSyncProgress({ terminal, quiet: quiet || json, verbose });
  const summary = mask.data(await start(progress.onEvent).finally(progress.clear));
  if (quiet) return summary;
  const { renderSyncSummary } = await import('../ui/memory/sync-summary.js');
  write(
    renderSyncSummary(summary, { style, agentId: memory.name, verbose, isFaulty: isFaultySkip }),
  );
  return summary;
}

/** How much is shown. */
export interface SyncProgressOptions {
  readonly terminal: TerminalSupport;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

/** On a terminal, a line that redraws itself; otherwise plain lines on stderr, for a first index or a long update. */
async function createSyncProgress(options: SyncProgressOptions): Promise<ProgressLine> {
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

/** Like {@link createSyncProgress}, but created on the first event: most searches have nothing to sync. */
export function createLazySyncProgress(options: SyncProgressOptions): ProgressLine {
  let progress: ProgressLine | undefined;
  const early: SyncEvent[] = [];
  let cleared = false;
  const load = (): void => {
    void createSyncProgress(options).then((made) => {
      if (cleared) return;
      progress = made;
      for (const event of early) made.onEvent(event);
    });
  };
  const show = (event: SyncEvent): void => {
    if (progress !== undefined) {
      progress.onEvent(event);
      return;
    }
    early.push(event);
    if (early.length === 1) load();
  };
  let waiting: NodeJS.Timeout | undefined;
  return {
    onEvent: (event) => {
      clearTimeout(waiting);
      if (event.type === 'lock.waiting') waiting = setTimeout(show, NOTICED_MS, event);
      else show(event);
    },
    clear: () => {
      clearTimeout(waiting);
      cleared = true;
      progress?.clear();
    },
  };
}

/** A shorter wait for another process is not shown. */
const NOTICED_MS = 500;

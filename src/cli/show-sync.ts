import type { OpenedMemory } from '../engine/memory/index.js';
import type { SyncEvent, SyncRequest, SyncSummary } from '../engine/memory/sync/index.js';
import { runningMs } from '../engine/support/time.js';
import type { ProgressLine } from '../ui/progress-line.js';
import { shownPath } from '../ui/safe-text.js';
import { createStyle } from '../ui/style.js';
import { QUIET_FOR_MS, type WaitingLine } from '../ui/waiting-line.js';
import type { CommandContext } from './command-context.js';
import { writeStderr } from './stderr.js';
import { screenOptions } from './terminal.js';

/** Brings an index up to date, with progress and a summary. @param request `reembeds`: with `force`, embeds all again */
export async function showSync(
  memory: OpenedMemory,
  { terminal, view, quiet, verbose, json, signal, onInterrupt, write, mask }: CommandContext,
  request: Pick<SyncRequest, 'force' | 'reembeds'> = {},
): Promise<SyncSummary> {
  const start = (onEvent: (event: SyncEvent) => void): Promise<SyncSummary> =>
    memory.backend.sync({ ...request, signal, onEvent: (event) => onEvent(mask.data(event)) });
  if (terminal.screen && !quiet) {
    const { loadIndexScreen } = await import('./index-screen.js');
    const { runIndexScreen } = await loadIndexScreen();
    return runIndexScreen({
      ...screenOptions(terminal),
      title: {
        agentId: memory.name,
        place: shownPath(memory.agent.workspaceDir, view.homeDir),
        backend: memory.agent.backend,
      },
      now: runningMs,
      start,
      onInterrupt,
      verbose,
    });
  }
  const progress = await createSyncProgress({ terminal, quiet: quiet || json, verbose });
  const summary = mask.data(await start(progress.onEvent).finally(progress.clear));
  if (quiet) return summary;
  const { renderSyncSummary } = await import('../ui/memory/sync-summary.js');
  write(renderSyncSummary(summary, { ...view, agentId: memory.name, verbose }));
  return summary;
}

/** How much is shown. */
export type SyncProgressOptions = Pick<CommandContext, 'quiet' | 'terminal' | 'verbose'>;

/** On a terminal, a line that redraws itself; otherwise plain lines on stderr, for a first index or a long update. */
async function createSyncProgress({
  terminal,
  quiet,
  verbose,
}: SyncProgressOptions): Promise<ProgressLine> {
  const clear = (): void => undefined;
  if (quiet) return { onEvent: () => undefined, clear };
  const style = createStyle(terminal.progress);
  if (terminal.progress && !verbose) {
    const { createProgressLine } = await import('../ui/progress-line.js');
    return createProgressLine(writeStderr, { style, columns: terminal.columns, now: runningMs });
  }
  const { createSyncLines } = await import('../ui/memory/sync-lines.js');
  return { onEvent: createSyncLines(writeStderr, { style, verbose, now: runningMs }), clear };
}

/**
 * Like {@link createSyncProgress}, but created on the first event: most searches have nothing to sync.
 *
 * @param idleLine shown while no sync runs
 */
export function createLazySyncProgress(
  options: SyncProgressOptions,
  idleLine?: WaitingLine,
): ProgressLine {
  let progress: ProgressLine | undefined;
  const early: SyncEvent[] = [];
  let cleared = false;
  const load = (): void => {
    void createSyncProgress(options).then((created) => {
      if (cleared) return;
      progress = created;
      for (const event of early) created.onEvent(event);
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
  idleLine?.start();
  return {
    onEvent: (event) => {
      clearTimeout(waiting);
      idleLine?.stop();
      if (event.type === 'lock.waiting') waiting = setTimeout(show, QUIET_FOR_MS, event);
      else show(event);
      if (event.type === 'sync.finished') idleLine?.start();
    },
    clear: () => {
      clearTimeout(waiting);
      idleLine?.stop();
      cleared = true;
      progress?.clear();
    },
  };
}

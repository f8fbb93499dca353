import type { OpenedMemory } from '../engine/memory/open-memory.js';
import type { SyncEvent, SyncSummary } from '../engine/memory/sync/events.js';
import { isFaultySkip } from '../engine/memory/types.js';
import { runningMs } from '../engine/running-ms.js';
import type { SecretMask } from '../engine/secrets/mask/secret-mask.js';
import { renderSyncSummary } from '../ui/memory/sync-summary.js';
import { shownPath } from '../ui/shown-path.js';
import { createStyle } from '../ui/style.js';
import { createSyncProgress } from './sync-progress.js';
import type { TerminalSupport } from './terminal.js';

/** How a sync is shown. */
export interface ShownSyncOptions {
  readonly force: boolean;
  readonly terminal: TerminalSupport;
  /** No progress and no summary. */
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly json: boolean;
  readonly homeDir: string;
  readonly signal: AbortSignal;
  readonly onInterrupt: () => void;
  /** What goes past `write`: the screen and the progress. */
  readonly mask: SecretMask;
  /** Writes to stdout; nothing in JSON mode. */
  readonly write: (text: string) => void;
}

/** Brings an index up to date while the person watches, and says what was done. */
export async function shownSync(
  memory: OpenedMemory,
  options: ShownSyncOptions,
): Promise<SyncSummary> {
  const { force, terminal, quiet, verbose, json, homeDir, signal, onInterrupt, write, mask } =
    options;
  const style = createStyle(terminal.color);
  const start = (onEvent: (event: SyncEvent) => void): Promise<SyncSummary> =>
    memory.backend.sync({ force, signal, onEvent: (event) => onEvent(mask.data(event)) });
  if (terminal.screen && !quiet) {
    const { runIndexScreen } = await import('../ui/screens/index/run.js');
    return runIndexScreen({
      stdin: process.stdin,
      stdout: process.stdout,
      style,
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
  const shown = { style, agentId: memory.name, verbose, isFaulty: isFaultySkip };
  if (!quiet) write(renderSyncSummary(summary, shown));
  return summary;
}

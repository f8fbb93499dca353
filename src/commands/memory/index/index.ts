import * as Flags from '@oclif/core/flags';
import { targetFlags, withEnvironment } from '../../../cli/flags.js';
import { MemoryCommand } from '../../../cli/memory-command.js';
import { exitCodeOf, reportError } from '../../../cli/report-error.js';
import { createSyncProgress } from '../../../cli/sync-progress.js';
import { SvcError } from '../../../engine/errors/index.js';
import type { OpenedMemory } from '../../../engine/memory/open-memory.js';
import { indexOutput } from '../../../engine/memory/output.js';
import type {
  FailedAgent,
  IndexedAgent,
  IndexOutput,
} from '../../../engine/memory/output-schemas.js';
import type { SyncEvent, SyncSummary } from '../../../engine/memory/sync/events.js';
import { isFaultySkip } from '../../../engine/memory/types.js';
import { renderSyncSummary } from '../../../ui/memory/sync-summary.js';
import { shownPath } from '../../../ui/shown-path.js';
import { createStyle } from '../../../ui/style.js';

interface IndexFlags {
  readonly force: boolean;
  readonly plain: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

export default class MemoryIndex extends MemoryCommand<IndexOutput> {
  static override summary = 'Bring the indexes of all agents, or of one, up to date.';
  static override description =
    `Only files that changed are read. Ctrl-C stops between two transactions; what is done is kept.

An index that is damaged, of another version or built with other settings is built anew; searches go on with the old one until the new one replaces it.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --agent main --force',
    '<%= config.bin %> <%= command.id %> --workspace ./notes --json',
  ];
  static override flags = {
    ...targetFlags,
    ...withEnvironment({
      all: Flags.boolean({ summary: 'All agents; the same as naming none.' }),
      force: Flags.boolean({ char: 'f', summary: 'Build anew even when nothing changed.' }),
    }),
  };

  async run(): Promise<IndexOutput> {
    const { flags } = await this.parse(MemoryIndex);
    const agents: (IndexedAgent | FailedAgent)[] = [];
    for (const memory of await this.openMemories(flags))
      agents.push(await this.indexOne(memory, flags));
    return { agents };
  }

  /** One agent's failure is reported and does not keep the others from being indexed. */
  private async indexOne(
    memory: OpenedMemory,
    flags: IndexFlags,
  ): Promise<IndexedAgent | FailedAgent> {
    try {
      const summary = await this.sync(memory, flags);
      if (summary.outcome === 'stopped') this.setExitCode(130);
      return indexOutput(memory, summary);
    } catch (error) {
      if (error instanceof SvcError && error.code === 'INTERRUPTED') throw error;
      const { code, message, hint } = reportError(error);
      if (code === 'BUG') throw error;
      this.setExitCode(exitCodeOf({ code, message }));
      this.note(`error: ${memory.name}: ${message}${hint === undefined ? '' : `\n mend: ${hint}`}`);
      const workspace = memory.agent.workspaceDir;
      const reported = hint === undefined ? { code, message } : { code, message, hint };
      return { agent: memory.agentId, workspace, error: reported };
    }
  }

  private async sync(memory: OpenedMemory, flags: IndexFlags): Promise<SyncSummary> {
    const terminal = this.terminal(flags);
    const style = createStyle(terminal.color);
    const { force, verbose } = flags;
    const { signal } = this;
    const start = (onEvent: (event: SyncEvent) => void): Promise<SyncSummary> =>
      memory.backend.sync({ force, signal, onEvent });
    if (terminal.screen && !flags.quiet) {
      const { runIndexScreen } = await import('../../../ui/screens/index/run.js');
      return runIndexScreen({
        stdin: process.stdin,
        stdout: process.stdout,
        style,
        title: {
          agentId: memory.name,
          place: shownPath(memory.agent.workspaceDir, this.context().homeDir),
          backend: memory.agent.backend,
        },
        now: () => performance.now(),
        start,
        onInterrupt: () => this.interrupt(),
        verbose,
        isFaulty: isFaultySkip,
      });
    }
    const quiet = flags.quiet || this.jsonEnabled();
    const progress = await createSyncProgress({ terminal, quiet, verbose });
    const summary = await start(progress.onEvent).finally(progress.clear);
    const options = { style, agentId: memory.name, verbose, isFaulty: isFaultySkip };
    if (!flags.quiet) this.write(renderSyncSummary(summary, options));
    return summary;
  }
}

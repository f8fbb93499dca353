import * as Flags from '@oclif/core/flags';
import { targetFlags, withEnvironment } from '../../../cli/flags.js';
import { MemoryCommand, type SyncFlags } from '../../../cli/memory-command.js';
import { exitCodeOf, reportError } from '../../../cli/report-error.js';
import { SvcError } from '../../../engine/errors/index.js';
import type { OpenedMemory } from '../../../engine/memory/open-memory.js';
import { indexOutput } from '../../../engine/memory/output.js';
import type {
  FailedAgent,
  IndexedAgent,
  IndexOutput,
} from '../../../engine/memory/output-schemas.js';

export default class MemoryIndex extends MemoryCommand<IndexOutput> {
  static override summary = 'Bring the indexes of all agents, or of one, up to date.';
  static override description =
    `Only files that changed are read. Ctrl-C stops between two transactions; what is done is kept.

Where an embedding provider is configured or found, every passage gets a vector; what has one already is not paid for again. When the provider fails, the words are indexed all the same, and the command exits with 1 unless the fallback stood in.

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
    flags: SyncFlags,
  ): Promise<IndexedAgent | FailedAgent> {
    try {
      return indexOutput(memory, await this.syncShown(memory, flags));
    } catch (error) {
      if (error instanceof SvcError && error.code === 'INTERRUPTED') throw error;
      const { code, message, hint } = reportError(error, this.mask);
      if (code === 'BUG') throw error;
      this.setExitCode(exitCodeOf({ code, message }));
      this.note(`error: ${memory.name}: ${message}${hint === undefined ? '' : `\n mend: ${hint}`}`);
      const workspace = memory.agent.workspaceDir;
      const reported = hint === undefined ? { code, message } : { code, message, hint };
      return { agent: memory.agentId, workspace, error: reported };
    }
  }
}

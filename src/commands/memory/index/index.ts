import * as Flags from '@oclif/core/flags';
import { targetFlags, withEnvironment } from '../../../cli/flags.js';
import { MemoryCommand, type SyncFlags, type TargetFlags } from '../../../cli/memory-command.js';
import { exitCodeOf, reportError } from '../../../cli/report-error.js';
import { SvcError } from '../../../engine/errors/index.js';
import type { OpenedMemory } from '../../../engine/memory/open-memory.js';
import { indexOutput } from '../../../engine/memory/output.js';
import type {
  FailedAgent,
  IndexedAgent,
  IndexOutput,
} from '../../../engine/memory/output-schemas.js';

type WatchFlags = TargetFlags & SyncFlags & { readonly all: boolean };

export default class MemoryIndex extends MemoryCommand<IndexOutput> {
  static override summary = 'Bring the indexes of all agents, or of one, up to date.';
  static override description =
    `Only files that changed are read. Ctrl-C stops between two transactions; what is done is kept.

Where an embedding provider is configured or found, every passage gets a vector; what has one already is not paid for again. When the provider fails, the words are indexed all the same, and the command exits with 1 unless the fallback stood in. Images and recordings are taken in where multimodal.enabled is on.

With --watch it stays, and takes in what changes until Ctrl-C or SIGTERM end it, with exit code 0. With --json it then prints a line of JSON for each sync and each failure.

An index that is damaged, of another version or built with other settings is built anew; searches go on with the old one until the new one replaces it.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --agent main --force',
    '<%= config.bin %> <%= command.id %> --workspace ./notes --json',
    '<%= config.bin %> <%= command.id %> --watch',
  ];
  static override flags = {
    ...targetFlags,
    ...withEnvironment({
      all: Flags.boolean({ summary: 'All agents; the same as naming none.' }),
      force: Flags.boolean({ char: 'f', summary: 'Build anew even when nothing changed.' }),
      watch: Flags.boolean({
        summary: 'Stay, and take in what changes.',
        exclusive: ['force'],
      }),
    }),
  };

  private isWatching = false;
  private readonly onStop = (): void => this.interrupt();

  async run(): Promise<IndexOutput> {
    const { flags } = await this.parse(MemoryIndex);
    if (flags.watch) return this.watchAll(flags);
    const agents: (IndexedAgent | FailedAgent)[] = [];
    for (const memory of await this.openMemories(flags))
      agents.push(await this.indexOne(memory, flags));
    return { agents };
  }

  /** What a watcher tells is printed line by line; the document at the end would say it again. */
  protected override logJson(json: unknown): void {
    if (!this.isWatching) super.logJson(json);
    else if (typeof json === 'object' && json !== null && 'error' in json) {
      process.stdout.write(`${JSON.stringify(json)}\n`);
    }
  }

  private async watchAll(flags: WatchFlags): Promise<IndexOutput> {
    this.isWatching = true;
    const { clock, homeDir } = this.context();
    const memories = await this.openMemories(flags, { longLived: true });
    const { shownWatch } = await import('../../../cli/shown-watch.js');
    await shownWatch(memories, {
      terminal: this.terminal(flags),
      quiet: flags.quiet,
      verbose: flags.verbose,
      json: this.jsonEnabled(),
      homeDir,
      clock,
      signal: this.signal,
      onInterrupt: this.onStop,
    });
    return { agents: [] };
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

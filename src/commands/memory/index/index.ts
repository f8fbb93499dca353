import { existsSync, readdirSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import * as Flags from '@oclif/core/flags';
import { examples } from '../../../cli/base-command.js';
import { type FlagsOf, switchFlag, targetFlags } from '../../../cli/flags.js';
import { MemoryCommand } from '../../../cli/memory-command.js';
import { exitCodeOf, reportError } from '../../../cli/report-error.js';
import { SvcError } from '../../../engine/errors/index.js';
import {
  type FailedAgent,
  type IndexedAgent,
  type IndexOutput,
  indexOutput,
  type OpenedMemory,
} from '../../../engine/memory/index.js';

type IndexFlags = FlagsOf<typeof MemoryIndex>;

export default class MemoryIndex extends MemoryCommand {
  static override summary = 'Update the index of all agents, or of one.';
  static override description =
    `Reads only files that have changed. Ctrl-C stops between two transactions and keeps finished work.

With an embedding provider, every passage gets a vector; passages that have one are not embedded again without --force, and with cache.enabled not even then. If the provider fails, keyword search works anyway, and the exit code is 1 unless the fallback was used. Images and recordings are indexed if multimodal.enabled is on.

--watch keeps running and indexes changes until Ctrl-C or SIGTERM, with exit code 0. Combined with --json, it prints one line of JSON for each sync and each failure.

An index that is damaged, or was built by another version or with other settings, is rebuilt; searches use the old one until it is replaced.`;
  static override examples = examples(
    '',
    '--agent main --force',
    '--workspace ./notes --json',
    '--watch',
  );
  static override aliases = ['index'];
  static override flags = {
    ...targetFlags,
    all: switchFlag('All agents, which is the default.'),
    'reuse-vectors': Flags.boolean({
      summary: 'With --force, keep the vectors.',
      // With dependsOn, the usage line would show --force only together with this flag.
      relationships: [{ type: 'all', flags: ['force'] }],
    }),
    force: switchFlag('Rebuild the index and re-embed what is not cached.', {
      char: 'f',
      exclusive: ['watch'],
    }),
    watch: switchFlag('Keep running and index changes.'),
  };

  async run(): Promise<IndexOutput> {
    const { flags } = await this.parse(MemoryIndex);
    lowerPriority();
    if (flags.watch) return this.watchAll(flags);
    const agents: (IndexedAgent | FailedAgent)[] = [];
    for (const memory of await this.openMemories(flags))
      agents.push(await this.indexOne(memory, flags));
    return { agents };
  }

  private async watchAll(flags: IndexFlags): Promise<IndexOutput> {
    this.switchToLines('--watch');
    const memories = await this.openMemories(flags, { longLived: true });
    for (const memory of memories) await this.completeForgetting(memory);
    const { showWatch } = await import('../../../cli/show-watch.js');
    await showWatch(memories, await this.commandContext());
    return { agents: [] };
  }

  /** One agent's failure is reported without stopping the others. */
  private async indexOne(
    memory: OpenedMemory,
    flags: IndexFlags,
  ): Promise<IndexedAgent | FailedAgent> {
    try {
      return indexOutput(memory, await this.syncShown(memory, flags));
    } catch (error) {
      if (error instanceof SvcError && error.code === 'INTERRUPTED') throw error;
      if (reportError(error, this.mask).code === 'BUG') throw error;
      const failure = this.noteFailure(memory.name, error);
      this.setExitCode(exitCodeOf(failure));
      return { agent: memory.agentId, workspace: memory.agent.workspaceDir, error: failure };
    }
  }
}

/** On Linux, each thread has its own priority, and V8 has already started its threads. */
const THREADS = '/proc/self/task';

/** Lets searches run first, because someone waits for each; on an idle machine, indexing takes as long as before. */
function lowerPriority(): void {
  const { PRIORITY_BELOW_NORMAL } = constants.priority;
  // A lower priority is kept; root could raise it.
  if (getPriority() >= PRIORITY_BELOW_NORMAL) return;
  try {
    const ids = existsSync(THREADS) ? readdirSync(THREADS) : [process.pid];
    for (const id of ids) setPriority(Number(id), PRIORITY_BELOW_NORMAL);
  } catch {
    // Without permission, the priority stays as it is.
  }
}

import * as Flags from '@oclif/core/flags';
import { targetFlags, withEnvironment, yesFlag } from '../../cli/flags.js';
import { MemoryCommand } from '../../cli/memory-command.js';
import { confirm } from '../../cli/prompts.js';
import type { OpenedMemory, ResetOutput } from '../../engine/memory/index.js';

export default class MemoryReset extends MemoryCommand<ResetOutput> {
  static override summary = 'Delete an index. Your files are not touched.';
  static override description =
    'Asks for confirmation. The next search or "svc memory index" rebuilds the index.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --workspace ./notes --yes',
    '<%= config.bin %> <%= command.id %> --all --yes --json',
  ];
  static override flags = {
    ...targetFlags,
    ...yesFlag,
    ...withEnvironment({
      all: Flags.boolean({ summary: 'Delete the indexes of all agents.' }),
    }),
  };

  async run(): Promise<ResetOutput> {
    const { flags } = await this.parse(MemoryReset);
    const memories = flags.all ? await this.openMemories(flags) : [await this.openMemory(flags)];
    const question = `Delete ${memories.map(({ name, agent }) => `the index of ${name} (${agent.memorySearch.store.path})`).join(', ')}?`;
    const agreed = flags.yes || (await confirm(question, this.terminal(flags).screen, this.signal));
    const agents: ResetOutput['agents'][number][] = [];
    for (const memory of memories) agents.push(await this.resetOne(memory, agreed));
    return { agents };
  }

  private async resetOne(
    memory: OpenedMemory,
    agreed: boolean,
  ): Promise<ResetOutput['agents'][number]> {
    const indexFile = memory.agent.memorySearch.store.path;
    if (!agreed) {
      this.write(`kept ${indexFile}`);
      return { agent: memory.agentId, indexFile, deleted: false, bytes: 0 };
    }
    const { deleted, bytes } = await memory.backend.reset();
    this.write(deleted ? `deleted ${indexFile}` : `no index at ${indexFile}`);
    return { agent: memory.agentId, indexFile, deleted, bytes };
  }
}

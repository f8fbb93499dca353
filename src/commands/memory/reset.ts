import * as Flags from '@oclif/core/flags';
import { confirm } from '../../cli/confirm.js';
import { targetFlags, withEnvironment, yesFlag } from '../../cli/flags.js';
import { MemoryCommand } from '../../cli/memory-command.js';
import type { OpenedMemory } from '../../engine/memory/open-memory.js';
import type { ResetOutput } from '../../engine/memory/output-schemas.js';

export default class MemoryReset extends MemoryCommand<ResetOutput> {
  static override summary = 'Delete an index; the files it was made from are not touched.';
  static override description =
    'Asks first. The next search or "svc memory index" builds the index anew.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --workspace ./notes --yes',
    '<%= config.bin %> <%= command.id %> --all --yes --json',
  ];
  static override flags = {
    ...targetFlags,
    ...yesFlag,
    ...withEnvironment({
      all: Flags.boolean({ summary: 'The indexes of all agents.' }),
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
    this.write(deleted ? `deleted ${indexFile}` : `there is no index at ${indexFile}`);
    return { agent: memory.agentId, indexFile, deleted, bytes };
  }
}

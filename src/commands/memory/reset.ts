import { examples } from '../../cli/base-command.js';
import { switchFlag, targetFlags, yesFlag } from '../../cli/flags.js';
import { MemoryCommand } from '../../cli/memory-command.js';
import type { OpenedMemory, ResetOutput } from '../../engine/memory/index.js';
import { safeLine } from '../../ui/safe-text.js';

export default class MemoryReset extends MemoryCommand {
  static override summary = 'Delete an index. Your files are not touched.';
  static override description =
    'Asks for confirmation. The next search or "svc memory index" rebuilds the index. Of an index that several hosts share, only what this host indexed is deleted.';
  static override examples = examples('', '--workspace ./notes --yes', '--all --yes --json');
  static override flags = {
    ...targetFlags,
    ...yesFlag,
    all: switchFlag('Delete the indexes of all agents.'),
  };

  async run(): Promise<ResetOutput> {
    const { flags } = await this.parse(MemoryReset);
    const memories = flags.all ? await this.openMemories(flags) : [await this.openMemory(flags)];
    const question = `Delete ${memories.map((memory) => `the index of ${memory.name} (${describeIndex(memory)})`).join(', ')}?`;
    const agreed = await this.agrees(question, flags);
    const agents: ResetOutput['agents'][number][] = [];
    for (const memory of memories) agents.push(await this.resetOne(memory, agreed));
    return { agents };
  }

  private async resetOne(
    memory: OpenedMemory,
    agreed: boolean,
  ): Promise<ResetOutput['agents'][number]> {
    const index = describeIndex(memory);
    const isShared = memory.home.others !== undefined;
    const indexFile = isShared ? null : memory.agent.memorySearch.store.path;
    if (!agreed) {
      this.write(`kept ${index}`);
      return { agent: memory.agentId, indexFile, deleted: false, bytes: 0 };
    }
    // Waits for other processes that use the index.
    const reset = this.whileWaiting('deleting the index', () => memory.backend.reset());
    const { deleted, bytes, documents } = await reset;
    const none = isShared ? 'nothing to delete:' : 'no index at';
    this.write(deleted ? `deleted ${index}` : `${none} ${index}`);
    return {
      agent: memory.agentId,
      indexFile,
      deleted,
      bytes,
      ...(documents === undefined ? {} : { documents }),
    };
  }
}

/** What is deleted: of a shared index, only what this host indexed. */
function describeIndex({ agent, home: { others } }: OpenedMemory): string {
  return others === undefined
    ? safeLine(agent.memorySearch.store.path)
    : `what ${others.place.origin} indexed on the server`;
}

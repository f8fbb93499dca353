import * as Flags from '@oclif/core/flags';
import { targetFlags, withEnvironment } from '../../cli/flags.js';
import { MemoryCommand } from '../../cli/memory-command.js';
import type { EngineContext } from '../../engine/context.js';
import type { Diagnosis } from '../../engine/embeddings/diagnosis/index.js';
import { embeddingStatus } from '../../engine/memory/embedding/embedding-status.js';
import type { OpenedMemory } from '../../engine/memory/open-memory.js';
import { statusOutput } from '../../engine/memory/output.js';
import type { StatusesOutput, StatusOutput } from '../../engine/memory/output-schemas.js';
import { type AgentStatusView, renderStatus } from '../../ui/memory/status.js';
import { renderStatusOverview } from '../../ui/memory/status-overview.js';

interface StatusFlags {
  readonly plain: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

/** One memory with everything that is told of it but the diagnosis. */
interface Reported {
  readonly memory: OpenedMemory;
  readonly view: AgentStatusView;
}

export default class MemoryStatus extends MemoryCommand<StatusesOutput> {
  static override summary = 'Show what is indexed, how fresh it is, and what answers a search.';
  static override description =
    `Looks at the files to say what is stale right now, and changes nothing. Several agents are shown as a table; --agent or --verbose shows everything.

Without --deep no provider is asked. With it a word is really embedded, and every failure is told with its cause and its mend; exits with 1 when questions could not be embedded.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --deep --agent main',
    '<%= config.bin %> <%= command.id %> --agent main --json',
    '<%= config.bin %> <%= command.id %> --workspace ./notes --index',
  ];
  static override flags = {
    ...targetFlags,
    ...withEnvironment({
      deep: Flags.boolean({ summary: 'Really try the embedding provider and its fallback.' }),
      index: Flags.boolean({ summary: 'Bring the index up to date first.' }),
    }),
  };

  async run(): Promise<StatusesOutput> {
    const { flags } = await this.parse(MemoryStatus);
    const context = this.context();
    const memories = await this.openMemories(flags);
    if (flags.index) for (const memory of memories) await this.syncShown(memory, flags);
    const reported: Reported[] = [];
    for (const memory of memories) {
      const status = await memory.backend.status();
      const embedding = embeddingStatus(memory, status);
      reported.push({ memory, view: { agentId: memory.name, status, embedding } });
    }
    this.show(
      reported.map(({ view }) => view),
      flags,
    );
    const agents: StatusOutput[] = [];
    for (const { memory, view } of reported) {
      const alone = reported.length === 1;
      const deep = flags.deep ? await this.diagnose(memory, alone, flags, context) : undefined;
      agents.push(statusOutput(memory, view.status, view.embedding, deep));
    }
    const isFaulty = agents.some(({ faults, deep }) => faults.length > 0 || deep?.ok === false);
    if (isFaulty) this.setExitCode(1);
    return { agents };
  }

  private show(views: readonly AgentStatusView[], flags: StatusFlags): void {
    const options = this.view(flags);
    const overview = views.length > 1 && !flags.verbose;
    this.write(overview ? renderStatusOverview(views, options) : renderStatus(views, options));
  }

  /** Only one agent's diagnosis can be stayed with; those of several are lines. */
  private async diagnose(
    memory: OpenedMemory,
    alone: boolean,
    flags: StatusFlags,
    context: EngineContext,
  ): Promise<Diagnosis> {
    const { shownDiagnosis } = await import('../../cli/shown-diagnosis.js');
    const { diagnoseMemory } = await import('../../engine/memory/diagnosis/diagnose-memory.js');
    this.write('\n');
    return shownDiagnosis((signal, onEvent) => diagnoseMemory(memory, { signal, onEvent }), {
      title: `${memory.ext === undefined ? 'provider path' : 'external search'} of agent ${memory.name}`,
      context,
      terminal: this.terminal(flags),
      screen: alone && !flags.quiet,
      signal: this.signal,
      mask: this.mask,
      write: (text) => this.write(text),
    });
  }
}

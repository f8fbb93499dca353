import { examples } from '../../cli/base-command.js';
import { withShownHints } from '../../cli/command-context.js';
import { switchFlag, targetFlags, textFlag } from '../../cli/flags.js';
import { MemoryCommand } from '../../cli/memory-command.js';
import type { Diagnosis } from '../../engine/embeddings/index.js';
import { embeddingStatus } from '../../engine/memory/embedding-status.js';
import {
  type OpenedMemory,
  type StatusesOutput,
  type StatusOutput,
  statusOutput,
  type WhyOutput,
} from '../../engine/memory/index.js';
import { expandHome } from '../../engine/support/paths.js';
import { renderWhy } from '../../ui/memory/inspect.js';
import { type AgentStatusView, renderStatus } from '../../ui/memory/status.js';
import { renderStatusOverview } from '../../ui/memory/status-overview.js';

/** One memory with its status, without the diagnosis. */
interface MemoryWithStatus {
  readonly memory: OpenedMemory;
  readonly view: AgentStatusView;
}

export default class MemoryStatus extends MemoryCommand {
  static override summary = 'Show what is indexed, its freshness, and the search mode.';
  static override description =
    `Compares the index with the files, and changes nothing. Several agents are shown as a table; --agent or --verbose shows all details.

--why PATH shows whether a file belongs to memory, and which pattern of which file decided.

--deep embeds a test query end to end and reports every failure with its cause and a hint; the exit code is 1 if queries cannot be embedded. Without it, no provider is contacted.`;
  static override examples = examples(
    '',
    '--deep --agent main',
    '--agent main --json',
    '--workspace ./notes --index',
    '--why memory/2026-02-03.md',
  );
  static override flags = {
    ...targetFlags,
    deep: switchFlag('Test the embedding provider and its fallback.'),
    index: switchFlag('Update the index first.'),
    why: textFlag('Show whether a file is indexed, and which rule decided.', 'PATH'),
  };

  async run(): Promise<StatusesOutput> {
    const { flags } = await this.parse(MemoryStatus);
    const memories = await this.openMemories(flags);
    if (flags.index) for (const memory of memories) await this.syncShown(memory);
    const statuses: MemoryWithStatus[] = [];
    for (const memory of memories) {
      const found = await this.whileWaiting('checking', () => memory.backend.status());
      const faults = withShownHints(found.faults, this.view());
      const status = { ...found, faults };
      const embedding = embeddingStatus(memory, status);
      statuses.push({
        memory,
        view: {
          agentId: memory.name,
          status,
          embedding,
          isTested: flags.deep,
          isVerbose: this.shared.verbose,
        },
      });
    }
    if (flags.why === undefined) this.show(statuses.map(({ view }) => view));
    const agents: StatusOutput[] = [];
    for (const { memory, view } of statuses) {
      const deep = flags.deep
        ? await this.diagnose(memory, { isOnly: memories.length === 1 })
        : undefined;
      const why =
        flags.why === undefined ? undefined : await this.why(memory, flags.why, view.status);
      agents.push(statusOutput(memory, view.status, view.embedding, { deep, why }));
    }
    const isFaulty = agents.some(({ faults, deep }) => faults.length > 0 || deep?.ok === false);
    if (isFaulty) this.setExitCode(1);
    return { agents };
  }

  private async why(
    memory: OpenedMemory,
    path: string,
    { ext }: AgentStatusView['status'],
  ): Promise<WhyOutput> {
    const { whyIndexed } = await import('../../engine/memory/inspect/why-indexed.js');
    const file = expandHome(path, this.context().homeDir);
    const isExtFresh = ext?.answers === 'ext' ? ext.updated?.stale === false : undefined;
    const why = await this.whileWaiting('checking', () => whyIndexed(memory, file, isExtFresh));
    this.write(this.hintFor(renderWhy(memory.name, why, this.view())));
    return why;
  }

  private show(views: readonly AgentStatusView[]): void {
    const view = this.view();
    const isOverview = views.length > 1 && !this.shared.verbose;
    const text = isOverview ? renderStatusOverview(views, view) : renderStatus(views, view);
    this.write(this.hintFor(text));
  }

  /** The live view fits one agent; several are printed as lines. */
  private async diagnose(
    memory: OpenedMemory,
    { isOnly }: { readonly isOnly: boolean },
  ): Promise<Diagnosis> {
    const { showMemoryDiagnosis } = await import('../../cli/show-diagnosis.js');
    this.write('\n');
    const command = await this.commandContext();
    return showMemoryDiagnosis(memory, { ...command, quiet: command.quiet || !isOnly });
  }
}

import { targetFlags } from '../../cli/flags.js';
import { MemoryCommand } from '../../cli/memory-command.js';
import { statusOutput } from '../../engine/memory/output.js';
import type { StatusesOutput, StatusOutput } from '../../engine/memory/output-schemas.js';
import { type AgentStatusView, renderStatus } from '../../ui/memory/status.js';
import { renderStatusOverview } from '../../ui/memory/status-overview.js';
import { createStyle } from '../../ui/style.js';

export default class MemoryStatus extends MemoryCommand<StatusesOutput> {
  static override summary = 'Show what is indexed, how fresh it is, and what answers a search.';
  static override description =
    'Looks at the files to say what is stale right now, and changes nothing. Several agents are shown as a table; --agent or --verbose shows everything.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --agent main --json',
    '<%= config.bin %> <%= command.id %> --workspace ./notes',
  ];
  static override flags = { ...targetFlags };

  async run(): Promise<StatusesOutput> {
    const { flags } = await this.parse(MemoryStatus);
    const context = this.context();
    const agents: StatusOutput[] = [];
    const views: AgentStatusView[] = [];
    for (const memory of await this.openMemories(flags)) {
      const status = await memory.backend.status();
      agents.push(statusOutput(memory, status));
      views.push({ agentId: memory.name, status, provider: undefined, vectors: undefined });
    }
    const terminal = this.terminal(flags);
    const options = {
      style: createStyle(terminal.color),
      nowMs: context.clock.now(),
      columns: process.stdout.isTTY ? terminal.columns : undefined,
      homeDir: context.homeDir,
    };
    const overview = views.length > 1 && !flags.verbose;
    this.write(overview ? renderStatusOverview(views, options) : renderStatus(views, options));
    if (agents.some((agent) => agent.faults.length > 0)) this.setExitCode(1);
    return { agents };
  }
}

import { MemoryCommand } from '../cli/memory-command.js';
import { overallStatusOutput } from '../engine/overview/output.js';
import type { OverallStatusOutput } from '../engine/overview/output-schemas.js';
import { overallStatus } from '../engine/overview/overall-status.js';
import { renderOverallStatus } from '../ui/overview/overall-status.js';

export default class Status extends MemoryCommand<OverallStatusOutput> {
  static override summary = 'Show everything on one page: agents, services, what is wrong.';
  static override description =
    'The memories of all agents and how fresh they are, the services of a running svc serve, what is done next, and every fault with its mend. Changes nothing and asks no provider. Exits with 1 when there are faults.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --json',
  ];

  async run(): Promise<OverallStatusOutput> {
    const { flags } = await this.parse(Status);
    const { state } = this.context();
    const memories = await this.openMemories({ config: flags.config });
    const overall = await overallStatus(memories, state.stateDir);
    const { serving, nextRuns, faults } = overall;
    this.write(
      renderOverallStatus(
        // Before lines are cut and wrapped: half a secret is no longer known for one.
        this.mask.data({
          serving,
          nextRuns,
          faults,
          agents: overall.agents.map(({ memory, status, embedding }) => {
            return { agentId: memory.name, status, embedding };
          }),
        }),
        this.view(flags),
      ),
    );
    if (faults.length > 0) this.setExitCode(1);
    return overallStatusOutput(overall);
  }
}

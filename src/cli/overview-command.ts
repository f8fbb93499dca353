import { overallStatusOutput } from '../engine/overview/output.js';
import type { OverallStatusOutput } from '../engine/overview/output-schemas.js';
import { overallStatus } from '../engine/overview/overall-status.js';
import { renderOverallStatus } from '../ui/overview/overall-status.js';
import { createStyle } from '../ui/style.js';
import { MemoryCommand } from './memory-command.js';

/** The flags that the page of everything is shown by. */
interface OverviewFlags {
  readonly config?: string | undefined;
  readonly plain: boolean;
}

/** What `svc status` and home share: everything on one page, in lines or as a document. */
export abstract class OverviewCommand<Result extends object> extends MemoryCommand<Result> {
  /** Shows the page; makes the process exit with 1 when there are faults. */
  protected async showOverview(flags: OverviewFlags): Promise<OverallStatusOutput> {
    const { state, clock, homeDir } = this.context();
    const memories = await this.openMemories({ config: flags.config });
    const overall = await overallStatus(memories, state.stateDir);
    const { serving, nextRuns, faults } = overall;
    const terminal = this.terminal(flags);
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
        {
          style: createStyle(terminal.color),
          nowMs: clock.now(),
          columns: process.stdout.isTTY ? terminal.columns : undefined,
          homeDir,
        },
      ),
    );
    if (faults.length > 0) this.setExitCode(1);
    return overallStatusOutput(overall);
  }
}

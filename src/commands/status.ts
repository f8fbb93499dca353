import { examples } from '../cli/base-command.js';
import { MemoryCommand } from '../cli/memory-command.js';
import { showOverview } from '../cli/show-overview.js';
import { overallStatus } from '../engine/overview/index.js';
import type { OverallStatusOutput } from '../engine/overview/output-schemas.js';

export default class Status extends MemoryCommand {
  static override summary = 'Show the status of agents, services and problems on one page.';
  static override description =
    'Shows the memories of all agents and how fresh they are, the webhook listener, flows, tasks and dreams, the services of a running "svc serve", what runs next, and every problem with its hint. Changes nothing and sends no provider requests. Exits with 1 if there are problems.';
  static override examples = examples('', '--json');

  async run(): Promise<OverallStatusOutput> {
    const { flags } = await this.parse(Status);
    // It only reads.
    this.setGracefulInterrupt(false);
    const memories = await this.openMemories({ config: flags.config });
    const options = { context: this.context(), configFile: flags.config };
    const found = await this.whileWaiting('checking', () => overallStatus(memories, options));
    const output = showOverview(memories, found, await this.commandContext());
    if (output.faults.length > 0) this.setExitCode(1);
    return output;
  }
}

import { MemoryCommand } from '../cli/memory-command.js';
import { shownOverview } from '../cli/shown-overview.js';
import type { OverallStatusOutput } from '../engine/overview/output-schemas.js';

export default class Status extends MemoryCommand<OverallStatusOutput> {
  static override summary = 'Show everything on one page: agents, services, what is wrong.';
  static override description =
    'The memories of all agents and how fresh they are, the webhook listener, flows, tasks and dreams, the services of a running svc serve, what is done next, and every fault with its mend. Changes nothing and asks no provider. Exits with 1 when there are faults.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --json',
  ];

  async run(): Promise<OverallStatusOutput> {
    const { flags } = await this.parse(Status);
    const output = await shownOverview(await this.openMemories({ config: flags.config }), {
      context: this.context(),
      configFile: flags.config,
      view: this.view(flags),
      mask: this.mask,
      write: (text) => this.write(text),
    });
    if (output.faults.length > 0) this.setExitCode(1);
    return output;
  }
}

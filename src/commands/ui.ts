import { examples } from '../cli/base-command.js';
import { MemoryCommand } from '../cli/memory-command.js';
import type { OverallStatusOutput } from '../engine/overview/output-schemas.js';

export default class Ui extends MemoryCommand {
  static override summary = 'Open the home screen: everything at a glance.';
  static override description =
    `Shows agents' memories, the listener, flows, tasks, dreams, problems and the activity of the last 24 hours, and keeps them up to date. Enter opens the screen behind a line, Esc returns, / filters the lines, : runs any command, ? lists the keys. It sends no provider requests and changes nothing on its own. On a terminal, "svc" without arguments does the same.

Without a terminal, and with --plain or --json, it is "svc status".`;
  static override examples = examples('', '--config ./svc.json', '--plain', '--json');

  async run(): Promise<OverallStatusOutput | Record<string, never>> {
    const { flags } = await this.parse(Ui);
    const command = await this.commandContext();
    if (command.terminal.screen) {
      const { showHome } = await import('../cli/home/show-home.js');
      await showHome(this.config.root, command);
      if (this.signal.aborted) this.setExitCode(130);
      return {};
    }
    const { overallStatus } = await import('../engine/overview/index.js');
    const { showOverview } = await import('../cli/show-overview.js');
    const memories = await this.openMemories({ config: flags.config });
    const output = showOverview(memories, await overallStatus(memories, command), command);
    if (output.faults.length > 0) this.setExitCode(1);
    return output;
  }
}

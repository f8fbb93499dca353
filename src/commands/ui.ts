import { MemoryCommand } from '../cli/memory-command.js';
import type { OverallStatusOutput } from '../engine/overview/output-schemas.js';

export default class Ui extends MemoryCommand<OverallStatusOutput | Record<string, never>> {
  static override summary = 'Home: everything at a glance, with keys into the other screens.';
  static override description =
    `One line for each agent's memory, the listener, flows, tasks, dreams and faults, kept up to date. Enter opens the screen behind a line, Esc comes back, ? lists the keys. It asks no provider and changes nothing by itself. svc alone does the same on a terminal.

Without a terminal, with --plain or --json it is svc status: the same on one page, exit code 1 when there are faults.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --config ./svc.json',
    '<%= config.bin %> <%= command.id %> --plain',
    '<%= config.bin %> <%= command.id %> --json',
  ];

  async run(): Promise<OverallStatusOutput | Record<string, never>> {
    const { flags } = await this.parse(Ui);
    const context = this.context();
    const terminal = this.terminal(flags);
    const { mask, signal } = this;
    if (terminal.screen) {
      const { shownHome } = await import('../cli/home/shown-home.js');
      const { root } = this.config;
      await shownHome({ context, configFile: flags.config, root, terminal, mask, signal });
      if (signal.aborted) this.setExitCode(130);
      return {};
    }
    const { shownOverview } = await import('../cli/shown-overview.js');
    const output = await shownOverview(await this.openMemories({ config: flags.config }), {
      context,
      configFile: flags.config,
      view: this.view(flags),
      mask,
      write: (text) => this.write(text),
    });
    if (output.faults.length > 0) this.setExitCode(1);
    return output;
  }
}

import { BaseCommand, examples } from '../cli/base-command.js';
import { processFacts } from '../cli/context.js';
import { switchFlag } from '../cli/flags.js';
import type { UpgradeOutput } from '../engine/overview/output-schemas.js';
import { describeUpgrade } from '../engine/overview/upgrade.js';
import { renderUpgrade } from '../ui/overview/about.js';

export default class Upgrade extends BaseCommand {
  static override summary = 'Show how to upgrade svc, and whether there is a newer version.';
  static override description =
    'Prints the command that upgrades this installation, and runs nothing. With --check, npm asks its registry for the newest version; svc never does that on its own. After an upgrade, restart what is running: svc serve, and the agents that use svc mcp.';
  static override examples = examples('', '--json', '--check');
  static override flags = {
    check: switchFlag('Ask the registry of npm for the newest version.'),
  };

  async run(): Promise<UpgradeOutput> {
    const { flags } = await this.parse(Upgrade);
    const { env } = this.context();
    const { root, nodePath } = processFacts(this.config.root);
    const ask = { env, nodePath, signal: this.signal };
    const upgrade = await this.whileWaiting('asking the registry', () =>
      describeUpgrade(root, flags.check ? ask : undefined),
    );
    const { style } = this.view();
    this.write(renderUpgrade(upgrade, style));
    return upgrade;
  }
}

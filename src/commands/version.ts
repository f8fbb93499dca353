import { BaseCommand, examples } from '../cli/base-command.js';
import { processFacts } from '../cli/context.js';
import { aboutProgram } from '../engine/overview/about.js';
import type { VersionOutput } from '../engine/overview/output-schemas.js';
import { renderVersion } from '../ui/overview/about.js';

export default class Version extends BaseCommand {
  static override summary = 'Print the version; with --verbose, the environment too.';
  static override description =
    'With --verbose, also prints the versions of Node.js and SQLite, whether native modules load, the platform, and the paths of configuration, state and cache. The JSON document always includes them.';
  static override examples = examples('', '--verbose', '--json');

  async run(): Promise<VersionOutput> {
    const { flags } = await this.parse(Version);
    const context = this.context();
    const about = aboutProgram(context, processFacts(this.config.root), flags.config);
    this.write(renderVersion(about, { ...this.view(), verbose: flags.verbose }));
    return about;
  }
}

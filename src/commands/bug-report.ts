import { BaseCommand, examples } from '../cli/base-command.js';
import { processFacts } from '../cli/context.js';
import { textFlag } from '../cli/flags.js';
import { SvcError } from '../engine/errors/index.js';
import { writeBugReport } from '../engine/overview/bug-report.js';
import type { BugReportOutput } from '../engine/overview/output-schemas.js';
import { renderBugReport } from '../ui/overview/about.js';

export default class BugReport extends BaseCommand {
  static override summary = 'Write an archive for a bug report, with secrets masked.';
  static override description =
    'Collects versions, the masked configuration, the state of agents and services, and the end of recent logs. Secrets are read so that they can be masked. Nothing from your notes is added, but logs can contain warnings that name a file and what task programs printed. Nothing is sent anywhere.';
  static override examples = examples('', '--output ./report.tar.gz', '--json');
  static override flags = {
    output: textFlag('Write the archive to this file; a timestamped name by default.', 'FILE', {
      char: 'o',
    }),
  };

  async run(): Promise<BugReportOutput> {
    const { flags } = await this.parse(BugReport);
    if (flags.output === '-') {
      throw new SvcError('USAGE', 'cannot write the archive to stdout, which lists its content', {
        hint: 'pass the name of a file, or omit --output',
      });
    }
    const report = await writeBugReport(this.context(), {
      facts: processFacts(this.config.root),
      configFile: flags.config,
      output: flags.output,
      mask: this.mask,
      signal: this.signal,
    });
    this.write(renderBugReport(report, this.view().style));
    return report;
  }
}

import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../cli/base-command.js';
import { withEnvironment } from '../cli/flags.js';
import { processFacts } from '../cli/process-facts.js';
import { writeBugReport } from '../engine/overview/bug-report.js';
import type { BugReportOutput } from '../engine/overview/output-schemas.js';
import { renderBugReport } from '../ui/overview/bug-report.js';
import { createStyle } from '../ui/style.js';

export default class BugReport extends BaseCommand<BugReportOutput> {
  static override summary = 'Write one archive with what a bug report needs, secrets masked.';
  static override description =
    'Versions, the masked configuration, the state of agents and services, and the ends of recent logs. Secrets are read so that they can be masked. Nothing of your notes is in it, not even their names, and nothing is sent anywhere.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --output ./report.tar.gz',
    '<%= config.bin %> <%= command.id %> --json',
  ];
  static override flags = withEnvironment({
    output: Flags.string({
      char: 'o',
      summary: 'Where the archive is written; a name with the time in the current folder.',
      helpValue: 'FILE',
    }),
  });

  async run(): Promise<BugReportOutput> {
    const { flags } = await this.parse(BugReport);
    const report = await writeBugReport(this.context(), {
      facts: processFacts(this.config.root),
      configFile: flags.config,
      output: flags.output,
      mask: this.mask,
      signal: this.signal,
    });
    this.write(renderBugReport(report, createStyle(this.terminal(flags).color)));
    return report;
  }
}

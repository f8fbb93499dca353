import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../cli/base-command.js';
import { withEnvironment } from '../cli/flags.js';
import { SvcError } from '../engine/errors/index.js';
import { findLogFile } from '../engine/serve/log/find-log-file.js';
import { followLog } from '../engine/serve/log/follow-log.js';
import { isAtLeast, LOG_LEVELS, parseLogLine } from '../engine/serve/log/log-record.js';
import { readLogTail } from '../engine/serve/log/read-log.js';
import { logLineOutput } from '../engine/serve/output.js';
import type { LogsOutput } from '../engine/serve/output-schemas.js';
import { renderForeignLine, renderLogRecord } from '../ui/serve/log-line.js';
import { createStyle } from '../ui/style.js';

const LINES = 100;
const FOLLOW_EVERY_MS = 200;

export default class Logs extends BaseCommand<LogsOutput> {
  static override summary = 'Show the log of the long-lived process.';
  static override description =
    `Reads the log files of svc serve, also when none runs, and those that were set aside for their size. --follow stays and shows what comes, until Ctrl-C. With --json and --follow each line is the JSON object of the log itself.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --follow',
    '<%= config.bin %> <%= command.id %> --lines 20 --level warn',
    '<%= config.bin %> <%= command.id %> --level error --json',
  ];
  static override flags = withEnvironment({
    follow: Flags.boolean({ char: 'f', summary: 'Stay and show what comes.' }),
    lines: Flags.integer({
      summary: 'How many of the newest lines are shown.',
      helpValue: 'N',
      default: LINES,
      min: 0,
    }),
    level: Flags.option({
      options: LOG_LEVELS,
      summary: 'Show what is at least this severe.',
      helpValue: 'LEVEL',
      default: 'trace',
    })(),
  });

  private isFollowing = false;

  async run(): Promise<LogsOutput> {
    const { flags } = await this.parse(Logs);
    const { file, warning } = await findLogFile(this.context(), flags.config);
    if (warning !== undefined) this.addWarning(warning);
    const { level: least, lines } = flags;
    const tail = readLogTail(file, { lines, least });
    if (tail === undefined && !flags.follow) throw noLog(file);
    this.isFollowing = flags.follow;
    for (const line of tail?.lines ?? []) this.show(line, flags);
    if (flags.follow) {
      const options = { fromBytes: tail?.endBytes ?? 0, everyMs: FOLLOW_EVERY_MS };
      for await (const line of followLog(file, { ...options, signal: this.signal })) {
        if (isAtLeast(parseLogLine(line), least)) this.show(line, flags);
      }
      this.setExitCode(130);
    }
    return { file, lines: (tail?.lines ?? []).map(logLineOutput) };
  }

  /** What is followed has no end, so that its lines are the answer. */
  protected override logJson(json: unknown): void {
    if (!this.isFollowing) super.logJson(json);
  }

  private show(line: string, flags: { readonly plain: boolean }): void {
    if (this.jsonEnabled()) {
      if (this.isFollowing) process.stdout.write(`${line}\n`);
      return;
    }
    const record = parseLogLine(line);
    const style = createStyle(this.terminal(flags).color);
    this.write(record === undefined ? renderForeignLine(line) : renderLogRecord(record, style));
  }
}

function noLog(file: string): SvcError {
  return new SvcError('LOG_MISSING', `there is no log at ${file}`, {
    hint: 'svc serve writes one; logging.file says where, if not there',
  });
}

import * as Flags from '@oclif/core/flags';
import { BaseCommand, examples } from '../cli/base-command.js';
import { type FlagsOf, switchFlag, textFlag } from '../cli/flags.js';
import { print, stdoutLost } from '../cli/print.js';
import { SvcError } from '../engine/errors/index.js';
import type { LogsOutput } from '../engine/serve/index.js';
import {
  isSelected,
  type LineSelection,
  LOG_LEVELS,
  parseLogLine,
} from '../engine/serve/log/log-record.js';
import { findLogFile, followLog, readLogTail } from '../engine/serve/log/read-log.js';
import { anySignal } from '../engine/support/async.js';
import { safeLine } from '../ui/safe-text.js';
import { renderLogRecord } from '../ui/serve/log-line.js';

const DEFAULT_LINES = 100;

export default class Logs extends BaseCommand {
  static override summary = 'Show the log of svc serve.';
  static override description =
    'Reads the log files of svc serve, rotated ones included, whether or not it is running. --follow on a terminal opens a viewer with levels, a filter and the fields of each line; elsewhere, and with --plain, it keeps printing new lines until Ctrl-C. With --json and --follow, each line is the JSON object from the log.';
  static override examples = examples(
    '--follow',
    '--lines 20 --level warn',
    '--level error --json',
    '--service memory',
    '--route ci',
  );
  static override flags = {
    follow: switchFlag('Keep showing new lines.', { char: 'f' }),
    lines: Flags.integer({
      summary: 'Show this many of the newest lines.',
      helpValue: 'N',
      default: DEFAULT_LINES,
      min: 0,
    }),
    service: textFlag('Show only lines of this service; memory means those of all agents.', 'NAME'),
    route: textFlag('Show only lines about this webhook route.', 'ID'),
    'request-id': textFlag('Show only lines about this request.', 'ID'),
    level: Flags.option({
      options: LOG_LEVELS,
      summary: 'Show only lines of this level or above.',
      helpValue: 'LEVEL',
      default: 'trace',
    })(),
  };

  async run(): Promise<LogsOutput> {
    const { flags } = await this.parse(Logs);
    if (flags.follow) this.switchToLines('--follow');
    const { file, warning } = await findLogFile(this.context(), flags.config);
    if (warning !== undefined) this.addWarning(warning);
    const { level: least, lines, service, route, 'request-id': requestId } = flags;
    const selection = { least, service, route, requestId };
    if (flags.follow && this.terminal().screen) {
      const { showLogs } = await import('../cli/show-logs.js');
      const first = this.isTyped('lines') ? lines : undefined;
      const command = await this.commandContext();
      if (await showLogs(file, selection, first, command)) this.setExitCode(130);
      return { file, lines: [] };
    }
    const tail = readLogTail(file, { lines, ...selection });
    if (tail === undefined && !flags.follow) {
      throw new SvcError('LOG_MISSING', `there is no log at ${file}`, {
        hint: '"svc serve" writes it; logging.file sets another path',
      });
    }
    if (tail === undefined) {
      this.note(`waiting for ${file}, which ${this.hintFor('"svc serve"')} writes`);
    }
    for (const line of tail?.lines ?? []) this.show(line, flags);
    if (tail?.lines.length === 0 && !flags.follow) this.note(`no matching lines in ${file}`);
    if (flags.follow) await this.follow(file, tail?.endBytes ?? 0, selection, flags);
    const lineOutput = (line: string) =>
      parseLogLine(line) ?? { level: null, time: null, message: line, fields: {} };
    return { file, lines: (tail?.lines ?? []).map(lineOutput) };
  }

  /** Shows new lines until Ctrl-C, or until nobody reads them. */
  private async follow(
    file: string,
    fromBytes: number,
    selection: LineSelection,
    flags: FlagsOf<typeof Logs>,
  ): Promise<void> {
    const signal = anySignal([this.signal, stdoutLost]);
    for await (const line of followLog(file, { fromBytes, signal })) {
      if (isSelected(parseLogLine(line), selection)) this.show(line, flags);
    }
    if (!stdoutLost.aborted) this.setExitCode(130);
  }

  private show(line: string, flags: FlagsOf<typeof Logs>): void {
    if (this.jsonEnabled()) {
      if (flags.follow) print(`${line}\n`);
      return;
    }
    const record = parseLogLine(line);
    const { style } = this.view();
    this.write(record === undefined ? safeLine(line) : renderLogRecord(record, style));
  }
}

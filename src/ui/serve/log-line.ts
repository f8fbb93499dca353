import type { LogLevel, LogRecord } from '../../engine/serve/log/log-record.js';
import { safeLine } from '../safe-text.js';
import type { Paint, Style } from '../style.js';

/**
 * A record of the log for people: time, level, service, message, and what else it says. Written here
 * and not by a formatter of the logging library: file names and answers of others stand in it, and
 * nothing of them may reach the terminal as a command.
 *
 * @returns one line, and one more for each line of a stack trace; without a line break at the end
 */
export function renderLogRecord(record: LogRecord, style: Style): string {
  const { level, time, msg, fields } = record;
  const { service, err, ...others } = fields;
  const head = [
    style.dim(localTime(time)),
    paintOf(level, style)(level.padEnd(5)),
    ...(typeof service === 'string' ? [style.cyan(safeLine(service))] : []),
    safeLine(msg),
  ].join(' ');
  const more = Object.entries(others).map(([name, value]) => field(name, value, style));
  return [[head, ...more].join(' '), ...stackOf(err, style)].join('\n');
}

/** A line that is no record, as it stands. */
export function renderForeignLine(line: string): string {
  return safeLine(line);
}

function field(name: string, value: unknown, style: Style): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const shown = /^[^\s"=]+$/u.test(text) ? text : JSON.stringify(text);
  return style.dim(`${safeLine(name)}=${safeLine(typeof value === 'string' ? shown : text)}`);
}

/** Where an unexpected error came from; an expected one says with its message what there is to say. */
function stackOf(err: unknown, style: Style): readonly string[] {
  if (typeof err !== 'object' || err === null || !('stack' in err)) return [];
  if ('code' in err || typeof err.stack !== 'string') return [];
  return err.stack.split('\n').map((line) => style.dim(`    ${safeLine(line.trim())}`));
}

/** In the time zone of the reader; a time that is none stays as it is. */
function localTime(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return safeLine(iso);
  const two = (value: number): string => String(value).padStart(2, '0');
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${date} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

function paintOf(level: LogLevel, style: Style): Paint {
  if (level === 'error' || level === 'fatal') return style.red;
  if (level === 'warn') return style.yellow;
  return level === 'info' ? style.green : style.dim;
}

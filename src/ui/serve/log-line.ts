import type { LogLevel, LogRecord } from '../../engine/serve/index.js';
import { safeLine } from '../safe-text.js';
import type { Paint, Style } from '../style.js';

/**
 * A log record as text: time, level, service, message and other fields. The logging library's formatter is not used
 * because records contain file names and responses, which must not control the terminal.
 *
 * @returns one line, and one for each line of a stack trace; without a final line break
 */
export function renderLogRecord(record: LogRecord, style: Style): string {
  const { level, time, msg, fields } = record;
  const { service, err, ...others } = fields;
  const head = [
    style.dim(localTime(time)),
    paintOf(level, style)(level.padEnd(5)),
    ...(typeof service === 'string' ? [style.accent(safeLine(service))] : []),
    safeLine(msg),
  ].join(' ');
  const more = Object.entries(others).map(([name, value]) => field(name, value, style));
  return [[head, ...more].join(' '), ...stackOf(err, style)].join('\n');
}

/** A line that is not a record, unchanged. */
export function renderForeignLine(line: string): string {
  return safeLine(line);
}

function field(name: string, value: unknown, style: Style): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const shown = /^[^\s"=]+$/u.test(text) ? text : JSON.stringify(text);
  return style.dim(`${safeLine(name)}=${safeLine(typeof value === 'string' ? shown : text)}`);
}

/** The stack of an unexpected error; for an expected one the message is enough. */
function stackOf(err: unknown, style: Style): readonly string[] {
  if (typeof err !== 'object' || err === null || !('stack' in err)) return [];
  if ('code' in err || typeof err.stack !== 'string') return [];
  return err.stack.split('\n').map((line) => style.dim(`    ${safeLine(line.trim())}`));
}

/** In the reader's time zone; an invalid time is left unchanged. */
function localTime(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return safeLine(iso);
  const two = (value: number): string => String(value).padStart(2, '0');
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${date} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

function paintOf(level: LogLevel, style: Style): Paint {
  if (level === 'error' || level === 'fatal') return style.fault;
  if (level === 'warn') return style.warning;
  return level === 'info' ? style.ok : style.dim;
}

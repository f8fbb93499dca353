import type { LogLevel, LogRecord } from '../../engine/serve/index.js';
import { formatClock } from '../../engine/support/format.js';
import { safeLine } from '../safe-text.js';
import type { Paint, Style } from '../style.js';

/**
 * A log record as text: time, level, service, message and other fields. The logging library's formatter is not used
 * because records contain file names and responses, which must not control the terminal.
 *
 * @returns one line, and one for each line of a stack trace; without a final line break
 */
export function renderLogRecord(record: LogRecord, style: Style): string {
  const { level, time, message, fields } = record;
  const { service, err } = fields;
  const head = [
    style.dim(localTime(time)),
    levelPaint(level, style)(level.padEnd(5)),
    ...(typeof service === 'string' ? [style.accent(safeLine(service))] : []),
    safeLine(message),
  ].join(' ');
  const more = otherFields(record).map(([name, value]) => style.dim(safeLine(`${name}=${value}`)));
  return [[head, ...more].join(' '), ...stackOf(err, style)].join('\n');
}

/** The fields behind the message, with their values as text; quoted where they contain blanks. */
export function otherFields({
  fields,
}: LogRecord): readonly (readonly [name: string, value: string])[] {
  const { service: _, err: __, ...others } = fields;
  return Object.entries(others).map(([name, value]) => {
    if (typeof value !== 'string') return [name, JSON.stringify(value)];
    return [name, /^[^\s"=]+$/u.test(value) ? value : JSON.stringify(value)];
  });
}

/** The stack of an unexpected error; for an expected one the message is enough. */
function stackOf(err: unknown, style: Style): readonly string[] {
  if (typeof err !== 'object' || err === null || !('stack' in err)) return [];
  if ('code' in err || typeof err.stack !== 'string') return [];
  return err.stack.split('\n').map((line) => style.dim(`    ${safeLine(line.trim())}`));
}

/** In the reader's time zone; an invalid time is left unchanged. */
export function localTime(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return safeLine(iso);
  const [month, day] = [at.getMonth() + 1, at.getDate()].map((part) => `${part}`.padStart(2, '0'));
  return `${at.getFullYear()}-${month}-${day} ${formatClock(at.getTime())}`;
}

/** The colour of a level. */
export function levelPaint(level: LogLevel, style: Style): Paint {
  if (level === 'error' || level === 'fatal') return style.fault;
  if (level === 'warn') return style.warning;
  return level === 'info' ? style.ok : style.dim;
}

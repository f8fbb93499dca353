import { isRecord } from '../../config/config-path.js';
import { parsedJson } from '../../parse-json.js';

/** Levels from the least to the most severe. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

/** How severe a line is. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** One line of a log. */
export interface LogRecord {
  readonly level: LogLevel;
  /** ISO 8601. */
  readonly time: string;
  readonly msg: string;
  /** Everything else that the line says, `service` and `requestId` among it. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Reads a line; undefined for one that is no record, as of a program that wrote into the same file. */
export function parseLogLine(line: string): LogRecord | undefined {
  const value = parseObject(line);
  if (value === undefined) return undefined;
  const { level, time, msg, pid: _, ...fields } = value;
  const known = LOG_LEVELS.find((one) => one === level);
  if (known === undefined || typeof time !== 'string') return undefined;
  return { level: known, time, msg: typeof msg === 'string' ? msg : '', fields };
}

function parseObject(line: string): Readonly<Record<string, unknown>> | undefined {
  const value = parsedJson(line);
  return isRecord(value) ? value : undefined;
}

/** Whether a line is at least as severe as asked for. What is no record is shown in any case. */
export function isAtLeast(record: LogRecord | undefined, least: LogLevel): boolean {
  return record === undefined || LOG_LEVELS.indexOf(record.level) >= LOG_LEVELS.indexOf(least);
}

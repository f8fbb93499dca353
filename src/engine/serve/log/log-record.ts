import { isRecord, parsedJson } from '../../support/text.js';
import type { LogsOutput } from '../output-schemas.js';

/** From the least to the most severe. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** A line of a log that svc wrote. */
export type LogRecord = LogsOutput['lines'][number] & {
  readonly level: LogLevel;
  readonly time: string;
};

/** Undefined for a line that is not a record, such as one of another program. */
export function parseLogLine(line: string): LogRecord | undefined {
  const value = parsedJson(line);
  if (!isRecord(value)) return undefined;
  const { level, time, msg, pid: _, ...fields } = value;
  const known = LOG_LEVELS.find((one) => one === level);
  if (known === undefined || typeof time !== 'string') return undefined;
  return { level: known, time, message: typeof msg === 'string' ? msg : '', fields };
}

/** Whether a line is severe enough. A line that is not a record always is. */
export function isAtLeast(record: LogRecord | undefined, least: LogLevel): boolean {
  return record === undefined || LOG_LEVELS.indexOf(record.level) >= LOG_LEVELS.indexOf(least);
}

/** Which lines to show. */
export interface LineSelection {
  readonly least: LogLevel;
  /** One service, or all of a kind: `memory` for those of every agent. */
  readonly service?: string | undefined;
  /** Of webhooks. */
  readonly route?: string | undefined;
  readonly requestId?: string | undefined;
}

/** Whether a line is severe enough, and about the service, the route and the request, if any. */
export function isSelected(
  record: LogRecord | undefined,
  { least, service, route, requestId }: LineSelection,
): boolean {
  if (!isAtLeast(record, least)) return false;
  const from = record?.fields['service'];
  const isFrom = typeof from === 'string' && (from === service || from.startsWith(`${service}:`));
  if (service !== undefined && !isFrom) return false;
  if (route !== undefined && record?.fields['route'] !== route) return false;
  return requestId === undefined || record?.fields['requestId'] === requestId;
}

import { messageOf, SvcError } from '../errors/index.js';
import type { McpWorld } from './mcp-world.js';

/** A failure as an agent is told of it. */
export interface ToldFailure {
  /** Of the registry; `BUG` for what nobody expected. */
  readonly code: string;
  readonly message: string;
  /** What can be done about it. */
  readonly mend: string | undefined;
}

/** Masks a failure for an agent; what is a bug goes to the log with its stack. */
export function failureOf(
  error: unknown,
  { mask, log }: Pick<McpWorld, 'log' | 'mask'>,
): ToldFailure {
  if (error instanceof SvcError) {
    const { code, message, hint, location } = error;
    const at = location === undefined ? '' : ` (${location.file}:${location.line})`;
    return mask.data({ code, message: `${message}${at}`, mend: hint });
  }
  log.warn(mask.text(error instanceof Error ? (error.stack ?? error.message) : String(error)));
  return mask.data({
    code: 'BUG',
    message: messageOf(error),
    mend: 'this is a bug in svc; its log tells where, svc bug-report collects what a report needs',
  });
}

/** A failure in text: what failed, and what to do. */
export function failureText({ code, message, mend }: ToldFailure): string {
  return `error: ${message}\n${mend === undefined ? '' : `mend: ${mend}\n`}code: ${code}`;
}

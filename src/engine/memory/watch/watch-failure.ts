import { messageOf, SvcError, systemErrorCode } from '../../errors/index.js';
import type { WatchFailure } from './memory-watcher.js';

/** The code of an error of the system (`errno(3)`) or of SQLite. */
const OUTSIDE = /^(E[A-Z0-9]+|SQLITE_[A-Z_]+)$/;

/**
 * What went wrong with a sync, where it is of a kind that may pass: what the engine expects, and
 * anything the system says. Undefined for the rest, which is a bug.
 */
export function watchFailureOf(error: unknown): WatchFailure | undefined {
  if (error instanceof SvcError) {
    if (error.code === 'BUG') return undefined;
    const { code, message, hint } = error;
    return hint === undefined ? { code, message } : { code, message, hint };
  }
  const code = systemErrorCode(error);
  if (code === undefined || !OUTSIDE.test(code)) return undefined;
  return { code, message: messageOf(error) };
}

import { appendFileSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { PRIVATE_MODE } from '../../replace-file.js';
import { formatRecallLine, type RecallLine } from './recall-line.js';

/** A log that no sweep empties stops growing here, in bytes. */
export const MOST_LOG_BYTES = 32 * 1024 * 1024;

/**
 * Adds one search to the log. One write of one line with O_APPEND: searches of several processes never
 * mix theirs. It is not forced to disk: a power cut may lose the last searches, which nobody was promised.
 *
 * @returns false when the log is full
 * @throws the system's error
 */
export function appendRecall(file: string, recall: RecallLine): boolean {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  else if (size >= MOST_LOG_BYTES) return false;
  appendFileSync(file, formatRecallLine(recall), { mode: PRIVATE_MODE });
  return true;
}

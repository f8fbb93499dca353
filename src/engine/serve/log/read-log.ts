import { readFileSync } from 'node:fs';
import { systemErrorCode } from '../../errors/index.js';
import { isAtLeast, type LogLevel, parseLogLine } from './log-record.js';
import { LOG_ROTATION, setAsidePath } from './rotating-file.js';

/** Which lines of a log are wanted. */
export interface LogSelection {
  /** How many, the newest. */
  readonly lines: number;
  readonly least: LogLevel;
}

/** Lines of a log, and how far into its file they go. */
export interface LogTail {
  /** Oldest first, without line breaks. */
  readonly lines: readonly string[];
  /** Bytes of the file that were read whole lines from; where following begins. */
  readonly endBytes: number;
}

/**
 * The newest lines of a log, those of files that were set aside included; undefined when there is no
 * file at all.
 *
 * @throws the system's error when a file is there and cannot be read
 */
export function readLogTail(
  file: string,
  { lines: wanted, least }: LogSelection,
): LogTail | undefined {
  const parts: string[][] = [];
  let count = 0;
  let endBytes: number | undefined;
  for (let age = 0; age <= LOG_ROTATION.keep && (count < wanted || age === 0); age++) {
    const content = readIfThere(age === 0 ? file : setAsidePath(file, age));
    if (content === undefined) continue;
    const whole = content.subarray(0, content.lastIndexOf(LINE_FEED) + 1);
    if (age === 0) endBytes = whole.length;
    const found = wholeLines(whole).filter((line) => isAtLeast(parseLogLine(line), least));
    const kept = wanted - count > 0 ? found.slice(-(wanted - count)) : [];
    parts.unshift(kept);
    count += kept.length;
  }
  if (endBytes === undefined && parts.length === 0) return undefined;
  return { lines: parts.flat(), endBytes: endBytes ?? 0 };
}

const LINE_FEED = 0x0a;

function wholeLines(content: Buffer): readonly string[] {
  return content
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

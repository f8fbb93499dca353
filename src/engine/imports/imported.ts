import { statSync } from 'node:fs';
import type { ConfigPath } from '../config/index.js';
import { SvcError, systemErrorCode, systemReason } from '../errors/index.js';
import { readRegularFile } from '../support/files.js';

/** A program that svc can take over from. */
export const IMPORT_PROGRAMS = ['openclaw', 'qmd', 'basic-memory', 'claude-mem'] as const;

export type ImportProgram = (typeof IMPORT_PROGRAMS)[number];

/** A setting of the other program, in the words of svc. */
export interface ImportedSetting {
  /** Where it is in the other program. */
  readonly from: string;
  /** Below `agents.list[]` if `agent` is set. */
  readonly path: ConfigPath;
  readonly agent?: string | undefined;
  readonly value: unknown;
  /** Adds the items of a list to those that are there. */
  readonly adds?: boolean;
  /** What differs from the other program. */
  readonly note?: string | undefined;
}

/** Something that svc does not take, and why. */
export interface LeftOutItem {
  readonly from: string;
  readonly why: string;
}

/** An entry of a note that is written. */
export interface ImportedEntry {
  /** Identifies it in the note, so that it is written once. */
  readonly id: string;
  /** Its note is that of this day. */
  readonly atMs: number;
  readonly text: string;
}

/** What was read from another program. Nothing of that program was changed. */
export interface ImportedData {
  /** Absolute path of what was read. */
  readonly source: string;
  readonly settings: readonly ImportedSetting[];
  readonly leftOut: readonly LeftOutItem[];
  /** In the order of time. */
  readonly entries: readonly ImportedEntry[];
}

/** Configurations are far smaller. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Reads a file of another program.
 *
 * @param most of a larger file, nothing is read
 * @throws SvcError IMPORT_SOURCE_MISSING, IMPORT_SOURCE_INVALID, IMPORT_FAILED
 */
export function readSource(file: string, most = MAX_BYTES): string {
  try {
    return readRegularFile(file, most)
      .toString('utf8')
      .replace(/^\uFEFF/u, '');
  } catch (cause) {
    const code = systemErrorCode(cause) ?? '';
    if (code === 'EFBIG') throw invalidSource(file, `it is larger than ${most} bytes`);
    if (/^(?:EFTYPE|EISDIR)$/u.test(code)) throw invalidSource(file, 'it is not a regular file');
    throw asImportError(file, cause);
  }
}

/** @throws SvcError IMPORT_FAILED where the system refuses to answer */
export function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch (cause) {
    throw asImportError(path, cause);
  }
}

/** A system error as one that names the file. */
export function asImportError(file: string, cause: unknown): SvcError {
  if (cause instanceof SvcError) return cause;
  const code = systemErrorCode(cause);
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new SvcError('IMPORT_SOURCE_MISSING', `${file} does not exist`, {
      hint: 'pass the file or folder of the other program: "svc config import --from PROGRAM PATH"',
    });
  }
  return new SvcError('IMPORT_FAILED', `cannot read ${file}: ${systemReason(cause)}`, {
    hint: 'check the file and its permissions',
    cause,
  });
}

export function invalidSource(file: string, why: string, cause?: unknown): SvcError {
  return new SvcError('IMPORT_SOURCE_INVALID', `cannot use ${file}: ${why}`, {
    hint: 'check that the file belongs to the program named by --from',
    cause,
  });
}

import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { SvcError, systemErrorCode, systemReason } from '../errors/index.js';

/** Configurations are far smaller. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Reads a file of another program.
 *
 * @param most of a larger file, nothing is read
 * @throws SvcError IMPORT_SOURCE_MISSING, IMPORT_SOURCE_INVALID, IMPORT_FAILED
 */
export function readSource(file: string, most: number = MAX_BYTES): string {
  let descriptor: number | undefined;
  try {
    // Non-blocking, so that a named pipe is refused below instead of waiting for a writer.
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw invalidSource(file, 'it is not a regular file');
    if (stats.size > most) throw invalidSource(file, `it is larger than ${most} bytes`);
    return readFileSync(descriptor, 'utf8').replace(/^\uFEFF/u, '');
  } catch (cause) {
    throw asImportError(file, cause);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** The first of these that exists. @throws SvcError IMPORT_SOURCE_MISSING */
export function firstExisting(files: readonly string[]): string {
  const found = files.find((file) => statSync(file, { throwIfNoEntry: false }) !== undefined);
  if (found !== undefined) return found;
  throw missingSource(files.at(0) ?? '');
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** A system error as one that names the file. */
export function asImportError(file: string, cause: unknown): SvcError {
  if (cause instanceof SvcError) return cause;
  const code = systemErrorCode(cause);
  if (code === 'ENOENT' || code === 'ENOTDIR') return missingSource(file);
  return new SvcError('IMPORT_FAILED', `cannot read ${file}: ${systemReason(cause)}`, {
    hint: 'check the permissions of the file',
    cause,
  });
}

function missingSource(file: string): SvcError {
  return new SvcError('IMPORT_SOURCE_MISSING', `${file} does not exist`, {
    hint: 'pass the file or folder of the other program: svc config import --from PROGRAM PATH',
  });
}

export function invalidSource(file: string, why: string, cause?: unknown): SvcError {
  return new SvcError('IMPORT_SOURCE_INVALID', `cannot use ${file}: ${why}`, {
    hint: 'check that the file belongs to the program named by --from',
    cause,
  });
}

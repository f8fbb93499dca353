import { dirname } from 'node:path';
import { makeFolders, PRIVATE_MODE, readRegularFile, unlessSystemError } from './files.js';
import { replaceFile } from './replace-file.js';
import { parsedJson } from './text.js';

/** The value in a JSON file that svc wrote; undefined if it is missing, damaged or not readable. */
export function readJsonFile(file: string): unknown {
  return parsedJson(unlessSystemError(() => readRegularFile(file).toString('utf8')) ?? '');
}

/**
 * Replaces a JSON file of svc, readable by its owner only, and creates the folders above it.
 *
 * @throws the system's error, with the old file unchanged
 */
export function writeJsonFile(file: string, value: unknown): void {
  makeFolders(dirname(file));
  replaceFile(file, `${JSON.stringify(value)}\n`, PRIVATE_MODE);
}

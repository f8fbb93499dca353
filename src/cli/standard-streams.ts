import { randomBytes } from 'node:crypto';
import { createWriteStream, mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { SvcError } from '../engine/errors/index.js';
import { PRIVATE_MODE, TEMPORARY_ENDING } from '../engine/support/files.js';

/**
 * Runs work on a private temporary file with all of stdin, then removes it.
 *
 * @param folder where the file is created
 * @throws what the work throws; errors do not name the temporary file
 */
export async function withStdinFile<T>(
  folder: string,
  work: (file: string) => Promise<T>,
): Promise<T> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `.${randomBytes(6).toString('hex')}${TEMPORARY_ENDING}`);
  try {
    await pipeline(process.stdin, createWriteStream(file, { flags: 'wx', mode: PRIVATE_MODE }));
    return await work(file);
  } catch (error) {
    if (!(error instanceof SvcError) || error.location?.file !== file) throw error;
    const { code, message, hint, details = {} } = error;
    throw new SvcError(code, message, { hint, details, cause: error });
  } finally {
    await rm(file, { force: true });
  }
}

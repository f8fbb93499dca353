import { mkdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SvcError, systemErrorCode } from '../../errors/index.js';
import { PRIVATE_MODE, replaceFile } from '../../replace-file.js';

/**
 * Reads a file of JSON that holds a secret; undefined when there is none.
 *
 * @throws SvcError SECRET_UNRESOLVED when it is broken, or others may read it
 */
export async function readPrivateJson(file: string): Promise<unknown> {
  const text = await readPrivate(file);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own words quote what it read.
    throw new SvcError('SECRET_UNRESOLVED', `${file} is damaged`, {
      hint: `delete ${file}, then sign in again: svc provider login github-copilot`,
    });
  }
}

async function readPrivate(file: string): Promise<string | undefined> {
  try {
    const handle = await open(file);
    try {
      // Of the opened file, so that no other can be put in its place in between.
      const { mode } = await handle.stat();
      if (process.platform !== 'win32' && (mode & FOR_OTHERS) !== 0) {
        throw new SvcError('SECRET_UNRESOLVED', `others may read ${file}`, {
          hint: `chmod 600 ${file}`,
        });
      }
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof SvcError) throw error;
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new SvcError('SECRET_UNRESOLVED', `${file} cannot be read (${code ?? 'unknown error'})`, {
      hint: 'check its permissions and those of its folder',
      cause: error,
    });
  }
}

const FOR_OTHERS = 0o077;

/** Writes a file that only its owner may read, in one step. @throws the system's error */
export function writePrivateJson(file: string, value: unknown): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  replaceFile(file, `${JSON.stringify(value, null, 2)}\n`, PRIVATE_MODE);
}

import { createHash } from 'node:crypto';
import { basename } from 'node:path';

/** Where documents land that lay outside their workspace. */
const OUTSIDE_FOLDER = 'memory/imported';
const HASH_CHARS = 8;

/**
 * The path that a document has in an export: its own, where it lies in its workspace. One from outside
 * (`extraPaths`) gets a place of its own among the notes.
 *
 * @param path as it is displayed
 */
export function exportedPath(path: string): string {
  if (isSafePath(path)) return path;
  const name = basename(path).replaceAll('\\', '_');
  const hash = createHash('sha256').update(path).digest('hex').slice(0, HASH_CHARS);
  return `${OUTSIDE_FOLDER}/${hash}/${name}`;
}

/**
 * Whether a path leads to a file below the folder it is taken in, on every system: no `..`, nothing
 * absolute, no drive letters, no other separators, no hidden folders.
 */
export function isSafePath(path: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no name holds one on purpose
  if (/[\\:\u0000-\u001F\u007F]/u.test(path)) return false;
  return path
    .split('/')
    .every((part) => part !== '' && !part.startsWith('.') && part.trim() === part);
}

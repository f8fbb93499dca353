import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/**
 * Opens a file to read it: not through a link that was put in its place meanwhile, and not waiting on
 * a pipe.
 */
export async function openRegular(absolutePath: string): Promise<FileHandle> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  return open(absolutePath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
}

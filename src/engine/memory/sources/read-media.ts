import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { MissingMedia } from '../index/media-index.js';
import { openRegular } from './open-regular.js';
import { absoluteFromDisplay } from './paths.js';

/**
 * The bytes of a media document as the index knows it; undefined when the file is gone, cannot be
 * read or holds something else by now: the next sync finds out which.
 *
 * @param workspaceDir the workspace's real path
 */
export async function readMedia(
  workspaceDir: string,
  { path, bytes, contentHash }: MissingMedia,
): Promise<Buffer | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await openRegular(absoluteFromDisplay(workspaceDir, path));
    if ((await handle.stat()).size !== bytes) return undefined;
    const data = Buffer.alloc(bytes);
    for (let at = 0; at < bytes; ) {
      const { bytesRead } = await handle.read(data, at, bytes - at, at);
      if (bytesRead === 0) return undefined;
      at += bytesRead;
    }
    return createHash('sha256').update(data).digest('hex') === contentHash ? data : undefined;
  } catch {
    return undefined;
  } finally {
    await handle?.close();
  }
}

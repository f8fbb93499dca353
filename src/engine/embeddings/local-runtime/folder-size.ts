import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** How much the files below a folder hold, in bytes. Files that vanish meanwhile do not count. */
export async function sizeOfFolder(folder: string): Promise<number> {
  let bytes = 0;
  const pending = [folder];
  for (let dir = pending.pop(); dir !== undefined; dir = pending.pop()) {
    for (const entry of await readdir(dir, { withFileTypes: true }).catch(() => [])) {
      const path = join(dir, entry.name);
      if (entry.isDirectory()) pending.push(path);
      else bytes += (await lstat(path).catch(() => undefined))?.size ?? 0;
    }
  }
  return bytes;
}

const EVERY_MS = 700;

/** Tells the size of a folder that grows, again and again. @returns ends it */
export function watchSize(folder: string, onSize: (bytes: number) => void): () => void {
  let ended = false;
  let timer: NodeJS.Timeout | undefined;
  const measure = async (): Promise<void> => {
    const bytes = await sizeOfFolder(folder);
    if (ended) return;
    onSize(bytes);
    timer = setTimeout(() => void measure(), EVERY_MS);
  };
  timer = setTimeout(() => void measure(), EVERY_MS);
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}

import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Waits until a file's content, or a folder's entries, would survive a power cut. */
export function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

import { statSync } from 'node:fs';

/** The size of a database file with its side files. */
export function bytesOnDisk(file: string): number {
  return ['', '-wal', '-shm'].reduce((sum, suffix) => {
    return sum + (statSync(file + suffix, { throwIfNoEntry: false })?.size ?? 0);
  }, 0);
}

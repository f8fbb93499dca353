import { statIndex } from './stat-index.js';

/** The size of a database file with its side files. */
export function bytesOnDisk(file: string): number {
  return ['', '-wal', '-shm'].reduce((sum, suffix) => {
    return sum + (statIndex(file + suffix)?.size ?? 0);
  }, 0);
}

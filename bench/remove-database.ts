import { rmSync } from 'node:fs';

/** Removes a SQLite database, if it exists, with the files next to it. */
export function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
}

import { statSync } from 'node:fs';

/**
 * A text that differs when one of these files was written, made or removed since: looking at it is
 * cheaper than opening them. An empty file counts as none, since SQLite leaves empty logs behind.
 */
export function fileStamp(files: readonly string[]): string {
  return files.map(stampOf).join(' ');
}

function stampOf(file: string): string {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    return found === undefined || found.size === 0
      ? '-'
      : `${found.ino}.${found.size}.${found.mtimeMs}`;
  } catch {
    // A folder on the way that may not be entered: whoever opens the file will say so.
    return '-';
  }
}

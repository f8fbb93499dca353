import type { SourceFile } from '../types.js';

/**
 * What a scan saw, in a form that two scans are compared in at once: equal snapshots mean that
 * nothing was added, changed, moved or removed between them.
 */
export interface TreeSnapshot {
  /** The displayed paths in scan order, joined by NUL, which no path holds. */
  readonly paths: string;
  /** For each path: size, mtimeMs and ctimeMs as 64-bit floats. */
  readonly fingerprints: Buffer;
}

/**
 * A file written twice within the file system's time granularity keeps its fingerprint. One that was
 * modified this shortly before it was looked at may therefore change unseen; git calls it "racily
 * clean". Milliseconds.
 */
export const RACY_MS = 20;

/**
 * @param scannedMs when the scan began, in milliseconds since the epoch
 * @returns undefined when a file is so fresh that its next change could go unseen
 */
export function snapshotOf(
  files: readonly SourceFile[],
  scannedMs: number,
): TreeSnapshot | undefined {
  const numbers = new Float64Array(files.length * 3);
  let at = 0;
  for (const { size, mtimeMs, ctimeMs } of files) {
    if (mtimeMs >= scannedMs - RACY_MS) return undefined;
    numbers[at] = size;
    numbers[at + 1] = mtimeMs;
    numbers[at + 2] = ctimeMs;
    at += 3;
  }
  const paths = files.map((file) => file.path).join('\0');
  return { paths, fingerprints: Buffer.from(numbers.buffer) };
}

/** Whether two scans saw the same files in the same state. */
export function isSameTree(a: TreeSnapshot, b: TreeSnapshot): boolean {
  return a.fingerprints.equals(b.fingerprints) && a.paths === b.paths;
}

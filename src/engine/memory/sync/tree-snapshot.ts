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

/** Longer than the time steps of file systems that keep fractions of a second. */
const FINE_STEP_MS = 20;
/** The steps of those that do not: one second, on FAT two. */
const COARSE_STEP_MS = 2000;

/**
 * A file written twice within one time step of its file system keeps its fingerprint. One that was
 * modified this shortly before it was looked at may therefore change unseen; git calls it "racily
 * clean".
 *
 * @param lookedMs when the file was looked at, in milliseconds since the epoch
 */
export function isRacy(mtimeMs: number, lookedMs: number): boolean {
  const step = mtimeMs % 1000 === 0 ? COARSE_STEP_MS : FINE_STEP_MS;
  return mtimeMs >= lookedMs - step;
}

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
    if (isRacy(mtimeMs, scannedMs)) return undefined;
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

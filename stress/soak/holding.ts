import { readdirSync, readFileSync } from 'node:fs';

/** What a process holds of the machine; Linux only. */
export interface Holding {
  readonly memoryMb: number;
  /** Open files, sockets and the like. */
  readonly handles: number;
  /** Folders and files that the system watches for it. */
  readonly watches: number;
}

/** @throws the system's error when the process is gone */
export function holdingOf(pid: number): Holding {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const handles = readdirSync(`/proc/${pid}/fdinfo`);
  const watches = handles.map((handle) => {
    try {
      return readFileSync(`/proc/${pid}/fdinfo/${handle}`, 'utf8').split('inotify wd').length - 1;
    } catch {
      // Closed since it was listed.
      return 0;
    }
  });
  return {
    memoryMb: Number(/VmRSS:\s+(\d+)/u.exec(status)?.[1] ?? Number.NaN) / 1024,
    handles: handles.length,
    watches: watches.reduce((sum, count) => sum + count, 0),
  };
}

/** A value at a moment. */
export interface Sample {
  readonly atMs: number;
  readonly value: number;
}

/**
 * How much values grow from the first sample to the last, by the median of the slopes between all pairs
 * of samples (Theil and Sen): a collection of garbage, or a burst, moves it little.
 */
export function growthOf(samples: readonly Sample[]): number {
  const slopes: number[] = [];
  for (const [at, one] of samples.entries()) {
    for (const other of samples.slice(at + 1)) {
      if (other.atMs > one.atMs) slopes.push((other.value - one.value) / (other.atMs - one.atMs));
    }
  }
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || slopes.length === 0) return 0;
  slopes.sort((a, b) => a - b);
  return (slopes[Math.floor(slopes.length / 2)] ?? 0) * (last.atMs - first.atMs);
}

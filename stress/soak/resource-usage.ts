import { readdirSync, readFileSync } from 'node:fs';

/** Resources used by a process; Linux only. */
export interface ResourceUsage {
  readonly memoryMb: number;
  /** Open file descriptors. */
  readonly handles: number;
  /** inotify watches. */
  readonly watches: number;
}

/** @throws the system's error if the process is gone */
export function resourceUsageOf(pid: number): ResourceUsage {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const handles = readdirSync(`/proc/${pid}/fdinfo`);
  const watches = handles.map((handle) => {
    try {
      return readFileSync(`/proc/${pid}/fdinfo/${handle}`, 'utf8').split('inotify wd').length - 1;
    } catch {
      // Closed in the meantime.
      return 0;
    }
  });
  return {
    memoryMb: Number(/VmRSS:\s+(\d+)/u.exec(status)?.[1] ?? Number.NaN) / 1024,
    handles: handles.length,
    watches: watches.reduce((sum, count) => sum + count, 0),
  };
}

/** A value at a time. */
export interface Sample {
  readonly atMs: number;
  readonly value: number;
}

/** The lowest sample of each period: what is left after garbage was collected, which may take most of a minute. */
export function lowestOf(samples: readonly Sample[], periodMs: number): readonly Sample[] {
  const lowest = new Map<number, Sample>();
  for (const sample of samples) {
    const period = Math.floor(sample.atMs / periodMs);
    const other = lowest.get(period);
    if (other === undefined || sample.value < other.value) lowest.set(period, sample);
  }
  return [...lowest.values()];
}

/**
 * Growth from the first sample to the last, by the median slope between all pairs of samples (Theil–Sen),
 * which garbage collection or a burst hardly affects.
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

import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/**
 * How many threads really run at the same time: the cores that this process may use, and no more
 * than its control group's share of time, which containers are given.
 *
 * @param cgroupDir where the limits of this process's control group are
 */
export function usableCores(cgroupDir = '/sys/fs/cgroup'): number {
  const cores = availableParallelism();
  const share = cpuShare(cgroupDir);
  return share === undefined ? cores : Math.max(1, Math.min(cores, Math.floor(share)));
}

/** `cpu.max` is `max` or microseconds in each period (kernel.org, "Control Group v2", CPU). */
function cpuShare(cgroupDir: string): number | undefined {
  let text: string;
  try {
    text = readFileSync(`${cgroupDir}/cpu.max`, 'utf8');
  } catch {
    // Another system, or an old kernel: the cores are all that is known.
    return undefined;
  }
  const [, quota, period] = /^(\d+) (\d+)/u.exec(text) ?? [];
  return quota === undefined ? undefined : Number(quota) / Number(period);
}

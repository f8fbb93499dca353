import { spawnSync } from 'node:child_process';
import { tempFolder } from './temp-folder.js';

/** The path of a disk of its own of some size, or undefined where this user may mount none. */
export function smallDisk(megabytes: number): string | undefined {
  const { path } = tempFolder();
  const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path]);
  if (mount.status !== 0) return undefined;
  // Before the folder itself is removed.
  process.prependListener('exit', () => spawnSync('umount', ['--lazy', path]));
  return path;
}

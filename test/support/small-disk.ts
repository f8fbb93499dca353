import { spawnSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from './temp-folder.js';

/** Mounts a small disk. @returns its path, or undefined where this user cannot mount one */
export function smallDisk(megabytes: number): string | undefined {
  const { path } = tempFolder();
  const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path]);
  if (mount.status !== 0) {
    process.stdout.write('skipped: this user cannot mount a disk\n');
    return undefined;
  }
  // Before the folder itself is removed.
  process.prependListener('exit', () => spawnSync('umount', ['--lazy', path]));
  return path;
}

/** Leaves only this many bytes on a disk. */
export function fillDisk(path: string, leaving = 0): void {
  freeDisk(path);
  const { bavail, bsize } = statfsSync(path);
  writeFileSync(join(path, 'ballast'), Buffer.alloc(Math.max(0, bavail * bsize - leaving)));
}

/** Undoes {@link fillDisk}. */
export function freeDisk(path: string): void {
  rmSync(join(path, 'ballast'), { force: true });
}

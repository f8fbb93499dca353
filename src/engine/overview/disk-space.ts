import { statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ResolvedAgent } from '../config/index.js';
import type { EngineContext } from '../support/context.js';
import { formatBytes } from '../support/format.js';
import { nearestExisting } from '../support/paths.js';

type DiskSpace = Awaited<ReturnType<typeof diskSpace>>;

/** @throws the system's error */
export async function diskSpace(folder: string) {
  const { bavail, bsize, files, ffree } = await statfs(folder);
  // Some file systems have no limit for files.
  return { freeBytes: bavail * bsize, freeFiles: files === 0 ? undefined : ffree };
}

/** An existing folder of each disk that svc writes to. */
export function writtenDisks(
  { stateDir, cacheDir }: EngineContext['state'],
  agents: readonly ResolvedAgent[],
): readonly string[] {
  const stores = agents.map(({ memorySearch }) => dirname(memorySearch.store.path));
  const folders = [stateDir, cacheDir, ...stores].map((path) => nearestExisting(path));
  // The first folder of each disk stays: those of the state come first.
  const disks = folders.toReversed().map((folder) => [statSync(folder).dev, folder] as const);
  return [...new Map(disks).values()].toReversed();
}

const MEBIBYTE = 1024 * 1024;
/** With less, a new index cannot be built next to the old one. */
const TOO_LITTLE = 64 * MEBIBYTE;
const LITTLE = 512 * MEBIBYTE;
const FEW_FILES = 100;

/** Undefined if there is room. */
export function spaceProblem(folder: string, { freeBytes, freeFiles }: DiskSpace) {
  if (freeFiles !== undefined && freeFiles < FEW_FILES)
    return {
      code: 'no-inodes',
      severity: 'fault',
      message: `no more files can be created in ${folder}`,
      hint: 'delete some files: the file system has no inodes left',
    } as const;
  if (freeBytes >= LITTLE) return undefined;
  return {
    code: 'disk-full',
    severity: freeBytes < TOO_LITTLE ? 'fault' : 'warning',
    message: `the disk of ${folder} is almost full: ${formatBytes(freeBytes)} free`,
    cause: 'a new index is built before the old one is replaced',
    hint: 'free some space, or move the index with memorySearch.store.path',
  } as const;
}

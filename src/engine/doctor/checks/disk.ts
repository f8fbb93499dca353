import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../../errors/index.js';
import type { DoctorCheck } from '../check.js';
import type { Finding } from '../finding.js';
import type { DoctorWorld } from '../world.js';

const MEBIBYTE = 1024 * 1024;
/** Below this an index cannot be rebuilt beside the old one. */
const TOO_LITTLE = 64 * MEBIBYTE;
const LITTLE = 512 * MEBIBYTE;
const FEW_FILES = 100;

/** Whether there is room where svc writes. */
export const disk: DoctorCheck = {
  name: 'disk',
  needs: 'nothing',
  run: async (world) => {
    const looks = await Promise.all(folders(world).map((folder) => lookAt(folder, world)));
    return {
      summary: looks.map(({ free }) => free).join(', '),
      findings: looks.flatMap(({ finding }) => (finding === undefined ? [] : [finding])),
    };
  },
};

/** Those that are there, or will be made in one that is. */
function folders({ context, agents }: DoctorWorld): readonly string[] {
  const { stateDir, cacheDir } = context.state;
  const stores = agents.map(({ memorySearch }) => dirname(memorySearch.store.path));
  const wanted = [stateDir, cacheDir, ...stores];
  return [...new Set(wanted.map(nearestThere))];
}

function nearestThere(path: string): string {
  let folder = path;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

async function lookAt(
  folder: string,
  { host }: DoctorWorld,
): Promise<{ readonly free: string; readonly finding: Finding | undefined }> {
  const place = { file: folder };
  try {
    const { freeBytes, freeFiles } = await host.diskSpace(folder);
    const free = `${Math.floor(freeBytes / MEBIBYTE)} MB free`;
    if (freeFiles !== undefined && freeFiles < FEW_FILES) {
      const message = `no more files can be made below ${folder}`;
      const hint = 'remove some files: the file system has no inodes left';
      return { free, finding: { code: 'no-inodes', severity: 'fault', message, place, hint } };
    }
    return { free, finding: freeBytes < LITTLE ? little(freeBytes, folder, free) : undefined };
  } catch (error) {
    const message = `how much room there is below ${folder} cannot be told`;
    const finding = { code: 'disk-unknown', severity: 'note', message, place } as const;
    return { free: 'unknown', finding: { ...finding, cause: messageOf(error) } };
  }
}

function little(freeBytes: number, folder: string, free: string): Finding {
  return {
    code: 'disk-full',
    severity: freeBytes < TOO_LITTLE ? 'fault' : 'warning',
    message: `there is little room below ${folder}: ${free}`,
    cause: 'a new index is built beside the old one before it takes its place',
    place: { file: folder },
    hint: 'free some space, or move the index with memorySearch.store.path',
  };
}

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { messageOf } from '../../errors/index.js';
import { isIgnoredFolder } from '../../memory/sources/index.js';
import { ifReadable, nearestExisting } from '../../support/files.js';
import { formatBytes, formatCount, formatCountOf } from '../../support/format.js';
import {
  type ConfiguredWorld,
  check,
  configuredCheck,
  type DoctorWorld,
  type Finding,
  finding,
} from '../check.js';

const MEBIBYTE = 1024 * 1024;
/** With less, a new index cannot be built next to the old one. */
const TOO_LITTLE = 64 * MEBIBYTE;
const LITTLE = 512 * MEBIBYTE;
const FEW_FILES = 100;

/** Whether there is free space where svc writes. */
export const disk = check('disk', async (world) => {
  const checked = await Promise.all(folders(world).map((folder) => checkFolder(folder, world)));
  return {
    summary: [...new Set(checked.map(({ free }) => free))].join(', '),
    findings: checked.map(({ finding }) => finding),
  };
});

/** The existing folders that svc writes to or creates folders in. */
function folders({ context, agents }: DoctorWorld): readonly string[] {
  const { stateDir, cacheDir } = context.state;
  const stores = agents.map(({ memorySearch }) => dirname(memorySearch.store.path));
  return [...new Set([stateDir, cacheDir, ...stores].map((path) => nearestExisting(path)))];
}

async function checkFolder(
  folder: string,
  { host }: DoctorWorld,
): Promise<{ readonly free: string; readonly finding: Finding | undefined }> {
  const place = { file: folder };
  try {
    const { freeBytes, freeFiles } = await host.diskSpace(folder);
    const free = `${formatBytes(freeBytes)} free`;
    if (freeFiles !== undefined && freeFiles < FEW_FILES) {
      const message = `no more files can be created in ${folder}`;
      const hint = 'delete some files: the file system has no inodes left';
      return { free, finding: finding('no-inodes', 'fault', { message, place, hint }) };
    }
    return { free, finding: freeBytes < LITTLE ? little(freeBytes, folder, free) : undefined };
  } catch (error) {
    const message = `cannot read the free space of ${folder}`;
    const cause = messageOf(error);
    return { free: 'unknown', finding: finding('disk-unknown', 'note', { message, place, cause }) };
  }
}

function little(freeBytes: number, folder: string, free: string): Finding {
  return finding('disk-full', freeBytes < TOO_LITTLE ? 'fault' : 'warning', {
    message: `the disk of ${folder} is almost full: ${free}`,
    cause: 'a new index is built before the old one is replaced',
    place: { file: folder },
    hint: 'free some space, or move the index with memorySearch.store.path',
  });
}

/** Counting stops here: the limit is reached long before. */
const MOST_FOLDERS = 200_000;
/** Editors and other programs of the user share the limit. */
const SHARE = 0.5;

/** Whether the system allows watching all folders. */
export const watchers = configuredCheck('watchers', async (world) => {
  const limit = world.host.platform === 'linux' ? watchLimit(world) : undefined;
  if (limit === undefined) {
    return { summary: 'no known limit', findings: [], off: true };
  }
  const folders = countFolders(roots(world));
  const summary = `${formatCountOf(folders, 'folder')}, limit ${formatCount(limit)}`;
  if (folders <= limit * SHARE) return { summary, findings: [] };
  const needed = 2 ** Math.ceil(Math.log2(Math.max(folders * 4, 8192)));
  return {
    summary,
    findings: [
      finding('watch-limit', 'warning', {
        message: `there are ${formatCount(folders)} folders to watch, but only ${formatCount(limit)} watches for all programs`,
        cause: 'without watches, svc polls for changes',
        place: { file: join(world.host.procDir, LIMIT) },
        hint: `sudo sysctl fs.inotify.max_user_watches=${needed}, and add it to /etc/sysctl.d/`,
      }),
    ],
  };
});

const LIMIT = 'sys/fs/inotify/max_user_watches';

function watchLimit({ host }: ConfiguredWorld): number | undefined {
  const limit = Number(ifReadable(() => readFileSync(join(host.procDir, LIMIT), 'utf8')));
  return Number.isInteger(limit) ? limit : undefined;
}

function roots({ agents }: ConfiguredWorld): readonly string[] {
  return [
    ...new Set(
      agents
        .filter(({ memorySearch }) => memorySearch.enabled && memorySearch.sync.watch)
        .flatMap(({ workspaceDir, memorySearch }) => [
          join(workspaceDir, 'memory'),
          ...memorySearch.extraPaths.map((path) => resolve(workspaceDir, path)),
        ]),
    ),
  ];
}

function countFolders(folders: readonly string[]): number {
  const pending = [...folders];
  let count = 0;
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const entries = ifReadable(() => readdirSync(folder, { withFileTypes: true }));
    if (entries === undefined) continue;
    count += 1;
    if (count >= MOST_FOLDERS) return count;
    for (const entry of entries) {
      const isWatched = entry.isDirectory() && !isIgnoredFolder(entry.name);
      if (isWatched) pending.push(join(folder, entry.name));
    }
  }
  return count;
}

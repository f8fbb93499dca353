import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { messageOf } from '../../errors/index.js';
import { isIgnoredFolder } from '../../memory/sources/index.js';
import { spaceProblem, writtenDisks } from '../../overview/disk-space.js';
import { unlessSystemError } from '../../support/files.js';
import { formatBytes, formatCount, formatCountOf } from '../../support/format.js';
import {
  type ConfiguredWorld,
  check,
  configuredCheck,
  type DoctorWorld,
  finding,
} from '../check.js';

/** Whether there is free space where svc writes. */
export const disk = check('disk', async (world) => {
  const folders = writtenDisks(world.context.state, world.agents);
  const checked = await Promise.all(folders.map((folder) => checkDisk(folder, world)));
  return {
    summary: [...new Set(checked.map(({ free }) => free))].join(', '),
    findings: checked.map(({ finding }) => finding),
  };
});

async function checkDisk(folder: string, { host }: DoctorWorld) {
  const place = { file: folder };
  try {
    const space = await host.diskSpace(folder);
    const problem = spaceProblem(folder, space);
    return {
      free: `${formatBytes(space.freeBytes)} free`,
      finding: problem && { ...problem, place },
    };
  } catch (error) {
    const message = `cannot read the free space of ${folder}`;
    const cause = messageOf(error);
    return { free: 'unknown', finding: finding('disk-unknown', 'note', { message, place, cause }) };
  }
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
  const limit = Number(unlessSystemError(() => readFileSync(join(host.procDir, LIMIT), 'utf8')));
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
    const entries = unlessSystemError(() => readdirSync(folder, { withFileTypes: true }));
    if (entries === undefined) continue;
    count += 1;
    if (count >= MOST_FOLDERS) return count;
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !isIgnoredFolder(path)) pending.push(path);
    }
  }
  return count;
}

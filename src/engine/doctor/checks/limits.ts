import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { messageOf } from '../../errors/index.js';
import { isIgnoredFolder } from '../../memory/sources/index.js';
import { spaceProblem, writtenDisks } from '../../overview/disk-space.js';
import { unlessSystemError } from '../../support/files.js';
import { formatBytes, formatCount, formatCountOf } from '../../support/format.js';
import { isInside, realOrGiven } from '../../support/paths.js';
import {
  type ConfiguredWorld,
  check,
  configuredCheck,
  type DoctorWorld,
  type Finding,
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

/** Whether the system allows watching all folders, and reports all changes in them. */
export const watchers = configuredCheck('watchers', async (world) => {
  if (world.host.platform !== 'linux') {
    return { summary: 'no known limit', findings: [], off: true };
  }
  const unreported = unreportedChanges(world);
  const limit = watchLimit(world);
  if (limit === undefined) {
    return { summary: 'no known limit', findings: unreported, off: unreported.length === 0 };
  }
  const folders = countFolders(roots(world.agents));
  const summary = `${formatCountOf(folders, 'folder')}, limit ${formatCount(limit)}`;
  if (folders <= limit * SHARE) return { summary, findings: unreported };
  const needed = 2 ** Math.ceil(Math.log2(Math.max(folders * 4, 8192)));
  return {
    summary,
    findings: [
      ...unreported,
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

/** They report only changes made on this machine. In WSL, the first two are disks of Windows, whose programs count as others. */
const REMOTE = new Set(['9p', 'drvfs', 'cifs', 'fuse.sshfs', 'nfs', 'nfs4', 'smb3', 'vboxsf']);

function unreportedChanges(world: ConfiguredWorld): readonly Finding[] {
  const mounts = mountsOf(world);
  const unchecked = world.agents.filter(
    ({ memorySearch }) => memorySearch.sync.intervalMinutes === 0,
  );
  return roots(unchecked).flatMap((root) => {
    const real = realOrGiven(root);
    const mount = mounts.findLast(({ folder }) => isInside(real, folder));
    // A sandbox may have everything on one, where nobody else writes.
    if (mount === undefined || mount.folder === '/' || !REMOTE.has(mount.type)) return [];
    return finding('watch-remote', 'note', {
      message: `${root} is on a disk of another system (${mount.type}), which reports only changes made here`,
      cause: 'svc notices others at the next search',
      place: { file: root },
      hint: 'run "svc config set agents.defaults.memorySearch.sync.intervalMinutes 5"',
    });
  });
}

/** The mounted file systems, inner ones last. */
function mountsOf({ host }: ConfiguredWorld) {
  const text = unlessSystemError(() => readFileSync(join(host.procDir, 'self/mounts'), 'utf8'));
  const mounts = (text ?? '').split('\n').map((line) => {
    const [, folder = '', type = ''] = line.split(' ');
    // A blank is written as \040.
    const plain = folder.replaceAll(/\\([0-7]{3})/gu, (_, octal: string) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    );
    return { folder: plain, type };
  });
  return mounts.sort((a, b) => a.folder.length - b.folder.length);
}

function roots(agents: ConfiguredWorld['agents']): readonly string[] {
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

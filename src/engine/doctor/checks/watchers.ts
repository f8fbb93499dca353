import { type Dirent, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { systemErrorCode } from '../../errors/index.js';
import type { DoctorCheck } from '../check.js';
import type { ConfiguredWorld } from '../world.js';

/** Trees larger than this are counted no further: the limit is reached long before. */
const MOST_FOLDERS = 200_000;
/** Editors and other programs of the same user take from the same limit. */
const SHARE = 0.5;

/** Whether the system lets as many folders be watched as there are. */
export const watchers: DoctorCheck = {
  name: 'watchers',
  needs: 'configuration',
  run: async (world) => {
    const limit = world.host.platform === 'linux' ? watchLimit(world) : undefined;
    if (limit === undefined) {
      return { summary: 'no limit is known', findings: [], off: true };
    }
    const folders = countFolders(roots(world));
    const summary = `${folders} folder${folders === 1 ? '' : 's'}, ${limit} may be watched`;
    if (folders <= limit * SHARE) return { summary, findings: [] };
    const wanted = 2 ** Math.ceil(Math.log2(Math.max(folders * 4, 8192)));
    return {
      summary,
      findings: [
        {
          code: 'watch-limit',
          severity: 'warning',
          message: `there are ${folders} folders to watch, and ${limit} watches for all programs`,
          cause: 'when they run out, changes are found by looking now and then',
          place: { file: join(world.host.procDir, LIMIT) },
          hint: `sudo sysctl fs.inotify.max_user_watches=${wanted}, and the same in /etc/sysctl.d/`,
        },
      ],
    };
  },
};

const LIMIT = 'sys/fs/inotify/max_user_watches';

function watchLimit({ host }: ConfiguredWorld): number | undefined {
  try {
    const limit = Number(readFileSync(join(host.procDir, LIMIT), 'utf8'));
    return Number.isInteger(limit) ? limit : undefined;
  } catch (error) {
    if (systemErrorCode(error) !== undefined) return undefined;
    throw error;
  }
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
    const entries = entriesOf(folder);
    if (entries === undefined) continue;
    count += 1;
    if (count >= MOST_FOLDERS) return count;
    for (const entry of entries) if (entry.isDirectory()) pending.push(join(folder, entry.name));
  }
  return count;
}

/** Undefined for what is no folder, or may not be read. */
function entriesOf(folder: string): readonly Dirent[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (systemErrorCode(error) !== undefined) return undefined;
    throw error;
  }
}

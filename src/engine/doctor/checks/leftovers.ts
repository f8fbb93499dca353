import { lstatSync, readdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { unlessSvcError } from '../../errors/index.js';
import { deleteIndex } from '../../memory/home/build-file.js';
import { indexedFolder } from '../../memory/index/index.js';
import { scanMemoryFiles } from '../../memory/sources/index.js';
import type { LockHolder } from '../../memory/sync/index.js';
import { acquireIndexLock, withIndexLock } from '../../memory/sync/index-lock.js';
import { namesIn, unlessSystemError } from '../../support/files.js';
import { formatBytes, formatCountOf } from '../../support/format.js';
import { TEMPORARY_ENDING, WRITING_MS } from '../../support/replace-file.js';
import { changeLines } from '../../support/text-diff.js';
import { MS_PER_HOUR } from '../../support/time.js';
import {
  type CheckReport,
  check,
  type DoctorWorld,
  type Finding,
  type FindingPlace,
  type Fix,
  finding,
  fixOutdated,
} from '../check.js';

/** What killed processes left behind: unfinished indexes, their side files, temporary files; and indexes of deleted folders. */
export const leftovers = check('leftovers', async (world) => {
  const findings = [temporaryFiles(world)];
  for (const folder of indexFolders(world)) {
    for (const index of indexesIn(folder)) findings.push(...(await indexFindings(index, world)));
  }
  return { summary: findings.some(Boolean) ? 'found' : 'none', findings };
});

/** The default folder, and those of the configuration. */
function indexFolders({ context, agents }: DoctorWorld): readonly string[] {
  const standard = join(context.state.cacheDir, 'memory');
  return [
    ...new Set([standard, ...agents.map(({ memorySearch }) => dirname(memorySearch.store.path))]),
  ];
}

const PARTS =
  /^(.+\.sqlite)(\.build(?:-wal|-shm|-journal)?|-wal|-shm|-journal|\.lock|\.replaced(?:\.\d+)?)$/u;

/** The files of each index in a folder; the index itself may be gone. */
function indexesIn(folder: string) {
  const names = namesIn(folder);
  const parts = names.flatMap((name) => {
    const [, stem, ending] = PARTS.exec(name) ?? [];
    return stem === undefined || ending === undefined ? [] : [{ name, stem, ending }];
  });
  return [...new Set(parts.map(({ stem }) => stem))].map((stem) => {
    const indexParts = parts.filter((part) => part.stem === stem);
    const pick = (isPicked: (ending: string) => boolean): readonly RemovableFile[] =>
      indexParts
        .filter(({ ending }) => isPicked(ending))
        .flatMap(({ name }) => removable(join(folder, name)));
    const isThere = names.includes(stem);
    return {
      indexFile: join(folder, stem),
      hasLock: indexParts.some(({ ending }) => ending === '.lock'),
      builds: pick((ending) => ending.startsWith('.build')),
      // A lock file is not a leftover: it stays, and is free when no process has it.
      orphans: isThere ? [] : pick((ending) => ending.startsWith('-')),
      replaced: pick((ending) => ending.startsWith('.replaced')),
    };
  });
}

async function indexFindings(
  files: ReturnType<typeof indexesIn>[number],
  world: DoctorWorld,
): Promise<CheckReport['findings']> {
  const { indexFile, hasLock, builds, orphans, replaced } = files;
  const findings = replaced.map(replacedFinding);
  const holder = hasLock ? await holderOf(indexFile, world) : undefined;
  // Another process is building it right now.
  if (holder !== undefined) return [...findings, longLockFinding(indexFile, holder, world)];
  const name = basename(indexFile);
  const removing = (title: string, stray: readonly RemovableFile[]): Fix =>
    removalFix({
      title,
      safe: true,
      files: stray,
      // No other process can start to build meanwhile.
      whileUnused: (remove) => {
        const nowMs = world.context.clock.now();
        return withIndexLock(indexFile, { nowMs, waitMs: REMOVE_WAIT_MS }, remove);
      },
    });
  if (builds.length > 0) {
    findings.push(
      finding('stray-build', 'warning', {
        message: `the index ${name} was not finished`,
        cause: 'the process that built it was killed',
        place: placeOf(builds),
        hint: 'the next sync removes the unfinished files',
        fix: removing(`remove the unfinished build of ${name}`, builds),
      }),
    );
  }
  if (orphans.length > 0) {
    findings.push(
      finding('orphaned-files', 'warning', {
        message: `files of the deleted index ${name} remain`,
        place: placeOf(orphans),
        fix: removing(`remove the files of ${name}`, orphans),
      }),
    );
  }
  return [...findings, folderGoneFinding(indexFile, world)];
}

function folderGoneFinding(indexFile: string, { context }: DoctorWorld): Finding | undefined {
  const missing = missingFolderOf(indexFile);
  if (missing === undefined) return undefined;
  return finding('folder-gone', 'note', {
    message: `the folder ${missing} is gone, but an index still has the text of its notes`,
    place: { file: indexFile },
    fix: {
      title: `delete the index of ${missing}`,
      // The folder may be on a disk that is not mounted, or was mounted since.
      safe: false,
      diff: removalDiff(removable(indexFile)),
      changes: 'state',
      apply: async () => {
        if (missingFolderOf(indexFile) === undefined) {
          throw fixOutdated(`${missing} or its index changed since this fix was shown`);
        }
        await deleteIndex(indexFile, context.clock);
      },
    },
  });
}

/** The folder that `--workspace` named when an index was built, if it does not exist any more. */
function missingFolderOf(indexFile: string): string | undefined {
  // Agents can be called workspace-1.
  if (!/^workspace-[0-9a-f]{16}\.sqlite$/u.test(basename(indexFile))) return undefined;
  const folder = indexedFolder(indexFile);
  if (folder === undefined) return undefined;
  // Where it cannot be known, as below a folder of another user, it may be there.
  const isMissing = unlessSystemError(
    () => statSync(folder, { throwIfNoEntry: false }) === undefined,
  );
  return isMissing === true ? folder : undefined;
}

/** The process that writes the index; undefined when none does. */
async function holderOf(indexFile: string, world: DoctorWorld): Promise<LockHolder | undefined> {
  let holder: LockHolder | undefined;
  const nowMs = world.context.clock.now();
  const onWait = (known: LockHolder | undefined): void => {
    holder = known ?? { pid: 0, sinceMs: nowMs };
  };
  const { signal } = world;
  const lock = await acquireIndexLock(indexFile, { nowMs, signal, waitMs: 1, onWait });
  lock?.release();
  return lock === undefined ? holder : undefined;
}

function longLockFinding(
  indexFile: string,
  { pid, sinceMs }: LockHolder,
  { context }: DoctorWorld,
): Finding | undefined {
  const hours = Math.floor((context.clock.now() - sinceMs) / MS_PER_HOUR);
  if (hours < 1) return undefined;
  return finding('lock-held-long', 'warning', {
    message: `process ${pid} has been writing the index ${basename(indexFile)} for ${hours} h`,
    cause: 'no other process can update it meanwhile',
    place: { file: indexFile },
    hint: `check it with ps -fp ${pid}, and kill it if it hangs`,
  });
}

function replacedFinding(file: RemovableFile): Finding {
  return finding('set-aside', 'warning', {
    message: `${basename(file.path)} was found where an index should be and was renamed`,
    cause: 'it is not an svc index and may be yours',
    place: { file: file.path },
    hint: 'check what it is, then move or delete it',
    fix: removalFix({ title: `delete ${file.path}`, safe: false, files: [file] }),
  });
}

function temporaryFiles({ context, reading, agents }: DoctorWorld): Finding | undefined {
  const { stateDir, cacheDir, userConfigFile } = context.state;
  const config = 'checked' in reading ? [dirname(reading.checked.document.file)] : [];
  const within = unlessSystemError(() => readdirSync(stateDir, { withFileTypes: true })) ?? [];
  const folders = new Set([
    stateDir,
    ...within.flatMap((entry) => (entry.isDirectory() ? [join(stateDir, entry.name)] : [])),
    cacheDir,
    dirname(userConfigFile),
    ...config,
  ]);
  // Dreaming and forgetting write notes there.
  const workspaces = [...new Set(agents.map(({ workspaceDir }) => workspaceDir))];
  const oldest = context.clock.now() - WRITING_MS;
  const stateFiles = [...folders].flatMap((folder) =>
    namesIn(folder)
      .filter((name) => name.endsWith(TEMPORARY_ENDING))
      .map((name) => join(folder, name)),
  );
  const files = [...new Set([...stateFiles, ...workspaces.flatMap(temporariesIn)])].flatMap(
    (path) => removable(path, oldest),
  );
  if (files.length === 0) return undefined;
  return finding('temporary-files', 'warning', {
    message: `${formatCountOf(files.length, 'temporary file')} of killed processes`,
    cause: 'the files that they should have replaced are intact',
    place: placeOf(files),
    fix: removalFix({ title: 'remove temporary files', safe: true, files }),
  });
}

function temporariesIn(workspaceDir: string): readonly string[] {
  const options = { workspaceDir, layout: 'agent', extraPaths: [] } as const;
  // The check of the workspace reports what is wrong with it.
  return unlessSvcError(() => scanMemoryFiles(options))?.temporaries ?? [];
}

const REMOVE_WAIT_MS = 1000;

function placeOf([first]: readonly RemovableFile[]): FindingPlace | undefined {
  return first && { file: first.path };
}

function removable(path: string, oldestMs = Number.POSITIVE_INFINITY): readonly RemovableFile[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() !== true || stats.mtimeMs > oldestMs) return [];
  return [{ path, bytes: stats.size }];
}

interface RemovableFile {
  /** Absolute path. */
  readonly path: string;
  readonly bytes: number;
}

function removalDiff(files: readonly RemovableFile[]): Fix['diff'] {
  return changeLines(
    files.map(({ path, bytes }) => `${path}  ${formatBytes(bytes)}`),
    [],
  );
}

interface RemoveFilesOptions {
  readonly title: string;
  readonly safe: boolean;
  readonly files: readonly RemovableFile[];
  /** Removes the files while no process can use them. @throws SvcError when one does */
  readonly whileUnused?: (remove: () => Promise<void>) => Promise<void>;
}

function removalFix({ title, safe, files, whileUnused }: RemoveFilesOptions): Fix {
  const remove = async (): Promise<void> => {
    for (const { path } of files) await rm(path, { force: true });
  };
  return {
    title,
    safe,
    diff: removalDiff(files),
    changes: 'state',
    apply: () => (whileUnused === undefined ? remove() : whileUnused(remove)),
  };
}

import { lstatSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { authFolder } from '../../embeddings/login/auth-files.js';
import { SvcError } from '../../errors/index.js';
import { acquireIndexLock, type LockHolder } from '../../memory/sync/index-lock.js';
import { TEMPORARY_ENDING } from '../../replace-file.js';
import type { DoctorCheck } from '../check.js';
import type { Finding } from '../finding.js';
import { type RemovableFile, removalMend } from '../mends/remove-files.js';
import { namesIn } from '../names-in.js';
import type { DoctorWorld } from '../world.js';

/** A file that is being put in its place is there for a moment only; this is for slow machines. */
const WRITING_MS = 10 * 60_000;

/** What killed processes left behind: half-built indexes, side files, files not yet in their place. */
export const leftovers: DoctorCheck = {
  name: 'leftovers',
  needs: 'nothing',
  run: async (world) => {
    const findings: Finding[] = [...temporaryFiles(world)];
    for (const folder of indexFolders(world)) {
      for (const index of indexesIn(folder)) findings.push(...(await ofIndex(index, world)));
    }
    return { summary: 'none', findings };
  },
};

/** Where indexes lie: the usual place, and those of the configuration. */
function indexFolders({ context, agents }: DoctorWorld): readonly string[] {
  const usual = join(context.state.cacheDir, 'memory');
  return [
    ...new Set([usual, ...agents.map(({ memorySearch }) => dirname(memorySearch.store.path))]),
  ];
}

interface IndexFiles {
  /** Absolute path of the index that these belong to; it may be gone. */
  readonly indexFile: string;
  readonly hasLock: boolean;
  readonly builds: readonly RemovableFile[];
  readonly orphans: readonly RemovableFile[];
  readonly replaced: readonly RemovableFile[];
}

const PARTS =
  /^(.+\.sqlite)(\.build(?:-wal|-shm|-journal)?|-wal|-shm|-journal|\.lock|\.replaced)$/u;

function indexesIn(folder: string): readonly IndexFiles[] {
  const names = namesIn(folder);
  const parts = names.flatMap((name) => {
    const [, stem, ending] = PARTS.exec(name) ?? [];
    return stem === undefined || ending === undefined ? [] : [{ name, stem, ending }];
  });
  return [...new Set(parts.map(({ stem }) => stem))].map((stem) => {
    const own = parts.filter((part) => part.stem === stem);
    const pick = (wanted: (ending: string) => boolean): readonly RemovableFile[] =>
      own.filter(({ ending }) => wanted(ending)).flatMap(({ name }) => removable(folder, name));
    const isThere = names.includes(stem);
    return {
      indexFile: join(folder, stem),
      hasLock: own.some(({ ending }) => ending === '.lock'),
      builds: pick((ending) => ending.startsWith('.build')),
      // The lock is no leftover: it stays beside the place of an index, and is free when nobody holds it.
      orphans: isThere ? [] : pick((ending) => ending.startsWith('-')),
      replaced: pick((ending) => ending === '.replaced'),
    };
  });
}

async function ofIndex(files: IndexFiles, world: DoctorWorld): Promise<readonly Finding[]> {
  const { indexFile, hasLock, builds, orphans, replaced } = files;
  const findings = replaced.map(setAside);
  const holder = hasLock ? await holderOf(indexFile, world) : undefined;
  // Somebody is building right now.
  if (holder !== undefined) return [...findings, ...heldLong(indexFile, holder, world)];
  const name = basename(indexFile);
  return [
    ...findings,
    ...(builds.length === 0 ? [] : [strayBuild(name, builds, indexFile, world)]),
    ...(orphans.length === 0 ? [] : [orphaned(name, orphans, indexFile, world)]),
  ];
}

/** Who writes the index; undefined when nobody does. */
async function holderOf(indexFile: string, world: DoctorWorld): Promise<LockHolder | undefined> {
  let holder: LockHolder | undefined;
  const onWait = (told: LockHolder | undefined): void => {
    holder = told ?? { pid: 0, sinceMs: world.context.clock.now() };
  };
  const lock = await acquireIndexLock(indexFile, { ...lockFor(world), waitMs: 1, onWait });
  lock?.release();
  return lock === undefined ? holder : undefined;
}

function heldLong(
  indexFile: string,
  { pid, sinceMs }: LockHolder,
  { context }: DoctorWorld,
): readonly Finding[] {
  const hours = Math.floor((context.clock.now() - sinceMs) / 3_600_000);
  if (hours < 1) return [];
  return [
    {
      code: 'lock-held-long',
      severity: 'warning',
      message: `process ${pid} has been writing the index ${basename(indexFile)} for ${hours} h`,
      cause: 'nobody else can bring it up to date meanwhile',
      place: { file: indexFile },
      hint: `see what it does: ps -fp ${pid}; when it hangs, end it: the lock is free then`,
    },
  ];
}

function strayBuild(
  name: string,
  files: readonly RemovableFile[],
  indexFile: string,
  world: DoctorWorld,
): Finding {
  return {
    code: 'stray-build',
    severity: 'warning',
    message: `a build of the index ${name} was never finished`,
    cause: 'the process that made it was ended; nobody is building now',
    ...placeOf(files),
    hint: 'the next sync removes it',
    mend: removalMend({
      title: `remove the unfinished build of ${name}`,
      safe: true,
      files,
      whileUnused: (remove) => whileLocked(indexFile, world, remove),
    }),
  };
}

function orphaned(
  name: string,
  files: readonly RemovableFile[],
  indexFile: string,
  world: DoctorWorld,
): Finding {
  return {
    code: 'orphaned-files',
    severity: 'warning',
    message: `there are files of an index ${name} that is gone`,
    ...placeOf(files),
    mend: removalMend({
      title: `remove what is left of ${name}`,
      safe: true,
      files,
      whileUnused: (remove) => whileLocked(indexFile, world, remove),
    }),
  };
}

function setAside(file: RemovableFile): Finding {
  return {
    code: 'set-aside',
    severity: 'warning',
    message: `${basename(file.path)} stood where an index should be, and was set aside`,
    cause: 'it is no index of svc, and may be something of yours',
    place: { file: file.path },
    hint: 'look what it is; move it where it belongs, or delete it',
    mend: removalMend({ title: `delete ${file.path}`, safe: false, files: [file] }),
  };
}

function temporaryFiles({ context, reading }: DoctorWorld): readonly Finding[] {
  const { stateDir, userConfigFile } = context.state;
  const config = 'checked' in reading ? [dirname(reading.checked.document.file)] : [];
  const folders = new Set([stateDir, authFolder(stateDir), dirname(userConfigFile), ...config]);
  const oldest = context.clock.now() - WRITING_MS;
  const files = [...folders].flatMap((folder) =>
    namesIn(folder)
      .filter((name) => name.endsWith(TEMPORARY_ENDING))
      .flatMap((name) => removable(folder, name, oldest)),
  );
  if (files.length === 0) return [];
  return [
    {
      code: 'temporary-files',
      severity: 'warning',
      message: `${files.length} files were written and never put in their place`,
      cause: 'the process that wrote them was ended; the old files are whole',
      ...placeOf(files),
      mend: removalMend({ title: 'remove files that were never put in place', safe: true, files }),
    },
  ];
}

function lockFor({ context, signal }: DoctorWorld) {
  return { pid: process.pid, nowMs: context.clock.now(), signal };
}

const REMOVE_WAIT_MS = 1000;

/** Nobody can begin to build meanwhile. */
async function whileLocked(
  indexFile: string,
  world: DoctorWorld,
  work: () => Promise<void>,
): Promise<void> {
  const { signal: _, ...options } = lockFor(world);
  const lock = await acquireIndexLock(indexFile, { ...options, waitMs: REMOVE_WAIT_MS });
  if (lock === undefined) {
    throw new SvcError('INDEX_LOCKED', `another process is writing ${indexFile}`, {
      hint: 'wait for it to finish and look again',
    });
  }
  try {
    await work();
  } finally {
    lock.release();
  }
}

function placeOf([first]: readonly RemovableFile[]): {
  readonly place?: { readonly file: string };
} {
  return first === undefined ? {} : { place: { file: first.path } };
}

function removable(
  folder: string,
  name: string,
  oldestMs = Number.POSITIVE_INFINITY,
): readonly RemovableFile[] {
  const path = join(folder, name);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() !== true || stats.mtimeMs > oldestMs) return [];
  return [{ path, bytes: stats.size }];
}

import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import * as z from 'zod/mini';
import type { AgentId } from '../config/index.js';
import { SvcError, systemErrorCode } from '../errors/index.js';
import type { Connection } from '../sqlite/database.js';
import { tryProcessLock } from '../sqlite/process-lock.js';
import { queryValue, runSql } from '../sqlite/query.js';
import { closing } from '../support/async.js';
import type { StatePaths } from '../support/context.js';
import { makeFolders, realPath } from '../support/files.js';
import { readJsonFile, writeJsonFile } from '../support/json-file.js';
import { shortHash } from '../support/text.js';
import { type DreamFiles, type DreamWorkspace, dreamFiles } from './dream-workspace.js';
import { promotedEntries } from './promotion/memory-file.js';
import { openDreamDatabase } from './store/dream-database.js';
import { recallEntries } from './store/recall-entries.js';
import { writeRecords } from './store/write-records.js';

/** Which folder and agents a database belongs to; stored next to it, to find it after a move. */
const originFile = z.object({ dir: z.string(), agents: z.array(z.string()) });
type Origin = z.infer<typeof originFile>;

/**
 * Renames the state files of a workspace that was moved, and records whose they are. They are named after the workspace's
 * path, so after a move (of the folder or of the home directory around it) they are found by agent and content.
 */
export function carryOverDreams(
  workspace: DreamWorkspace,
  agents: readonly AgentId[],
  state: Pick<StatePaths, 'stateDir'>,
): void {
  try {
    if (!existsSync(workspace.files.database)) adoptMovedState(workspace, agents, state);
    // The first sweep has only a recall log when it gets here.
    const { database, recallLog } = workspace.files;
    if (existsSync(database) || existsSync(recallLog)) recordOrigin(workspace, agents);
  } catch (error) {
    // A read-only state folder is fine for reading; a write will report the error.
    if (systemErrorCode(error) === undefined) throw error;
  }
}

function recordOrigin({ dir, files }: DreamWorkspace, agents: readonly AgentId[]): void {
  const known = originOf(files);
  const before = known?.dir === dir ? known.agents : [];
  const all = [...new Set([...before, ...agents])];
  if (known?.dir === dir && all.length === before.length) return;
  const origin: Origin = { dir, agents: all };
  writeJsonFile(files.origin, origin);
}

function adoptMovedState(
  workspace: DreamWorkspace,
  agents: readonly AgentId[],
  state: Pick<StatePaths, 'stateDir'>,
): void {
  const { files } = workspace;
  for (const old of otherDreams(files, state)) {
    // If another process has either lock, it is sweeping or already moving these files.
    tryProcessLock(old.lock, () => {
      if (!existsSync(old.database) || !isMoved(old, workspace, agents, state)) return;
      tryProcessLock(files.lock, () => {
        if (!existsSync(files.database)) moveFiles(old, files);
      });
    });
    if (existsSync(files.database)) return;
  }
}

/** The files of all other workspaces, most recently changed first. */
function otherDreams(
  { database }: DreamFiles,
  state: Pick<StatePaths, 'stateDir'>,
): readonly DreamFiles[] {
  const root = dirname(database);
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .flatMap((name) => /^([\da-f]{16})\.sqlite$/u.exec(name)?.[1] ?? [])
    .map((name) => dreamFiles(name, state))
    .filter((files) => files.database !== database)
    .map((files) => ({ files, ms: statSync(files.database).mtimeMs }))
    .toSorted((a, b) => b.ms - a.ms)
    .map(({ files }) => files);
}

/** Whether this state belongs to a folder that was moved here; false if it cannot be read. */
function isMoved(
  old: DreamFiles,
  { dir }: DreamWorkspace,
  agents: readonly AgentId[],
  { stateDir }: Pick<StatePaths, 'stateDir'>,
): boolean {
  try {
    const origin = originOf(old);
    if (origin !== undefined) {
      const there = realPlace(origin.dir);
      if (there === dir) return true;
      const isOfAgent = agents.some((id) => origin.agents.includes(id));
      // An agent of the same name may have had another folder that was deleted: compare the notes.
      return (
        isOfAgent &&
        there === undefined &&
        withDatabase(old, (database) => matchesNotes(database, dir))
      );
    }
    // Version 0.1 wrote no origin file: derive the old path from a backup and verify it by its hash.
    const backup = withDatabase(old, (database) =>
      queryValue(database, 'SELECT backup_file FROM sweeps WHERE backup_file IS NOT NULL'),
    );
    if (typeof backup !== 'string') return false;
    const oldStateDir = dirname(dirname(dirname(dirname(backup))));
    const oldDir = join(oldStateDir, relative(realPlace(stateDir) ?? stateDir, dir));
    return old.database.endsWith(`${shortHash(oldDir)}.sqlite`) && realPlace(oldDir) === undefined;
  } catch (error) {
    if (error instanceof SvcError) return false;
    throw error;
  }
}

function originOf({ origin }: DreamFiles): Origin | undefined {
  return originFile.safeParse(readJsonFile(origin)).data;
}

/** Undefined if the path no longer exists; an inaccessible folder does exist. */
function realPlace(path: string): string | undefined {
  try {
    return realPath(path);
  } catch (error) {
    const code = systemErrorCode(error);
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : path;
  }
}

function withDatabase<T>({ database }: DreamFiles, read: (database: Connection) => T): T {
  using opened = closing(openDreamDatabase(database));
  return read(opened);
}

/** Whether a recorded claim is in a note or in MEMORY.md of this folder, or text that was added to a note. */
function matchesNotes(database: Connection, dir: string): boolean {
  const entries = recallEntries(database);
  const memory = noteText(dir, 'MEMORY.md') ?? '';
  if (promotedEntries(memory).some(({ key }) => entries.get(key)?.fate === 'promoted')) {
    return true;
  }
  const notes = new Map<string, string | undefined>();
  const contains = (path: string, text: string): boolean => {
    if (!notes.has(path)) {
      if (notes.size === MOST_NOTES) return false;
      notes.set(path, noteText(dir, path));
    }
    return notes.get(path)?.includes(text) === true;
  };
  for (const { text, source, path } of entries.eachSince(0)) {
    if (source === 'memory' && contains(path, text)) return true;
  }
  return writeRecords(database)
    .list()
    .some(({ path, inserted }) => contains(path, inserted.trim()));
}

/** Notes to check before giving up. */
const MOST_NOTES = 200;

function noteText(dir: string, path: string): string | undefined {
  const file = join(dir, path);
  const isFile = lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;
  return isFile ? readFileSync(file, 'utf8') : undefined;
}

/** Renames the database last: if this is killed earlier, the next run does the rest. */
function moveFiles(old: DreamFiles, files: DreamFiles): void {
  if (existsSync(old.backupDir)) {
    makeFolders(dirname(files.backupDir));
    renameSync(old.backupDir, files.backupDir);
  }
  const logs = [files.recallLog, files.rotatedLog];
  for (const log of [old.recallLog, old.rotatedLog]) {
    const free = logs.find((file) => !existsSync(file));
    if (!existsSync(log) || free === undefined) continue;
    renameSync(log, free);
  }
  withDatabase(old, (database) => {
    runSql(
      database,
      `UPDATE sweeps SET backup_file = ? || '/' || id || '.md' WHERE backup_file IS NOT NULL`,
      files.backupDir,
    );
    database.pragma('wal_checkpoint(TRUNCATE)');
    // Leaves a single file to move, without WAL files.
    database.pragma('journal_mode = DELETE');
  });
  renameSync(old.database, files.database);
  for (const file of [old.origin, old.lock]) rmSync(file, { force: true });
}

import { hash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { SvcError } from '../../errors/index.js';
import {
  makeFolders,
  readRegularFile,
  SHARED_FOLDER_MODE,
  unlessSystemError,
} from '../../support/files.js';
import { replaceFile } from '../../support/replace-file.js';
import { type ChangedFile, type ForgetEntry, overlapOf } from '../forgotten/index.js';
import type { IndexHome } from '../home/index.js';
import type { KeptIndex } from '../keeper/sync-index.js';
import { withIndexLock } from '../sync/index-lock.js';
import { attempt, type HideContext } from './hide.js';
import type { ForgetUndoOutput } from './output-schemas.js';

/** What was undone. */
export interface UndoResult extends Pick<ForgetUndoOutput, 'kept' | 'restored' | 'stillIn'> {
  readonly entry: ForgetEntry;
  /** Whether other entries contain all of it. */
  readonly staysForgotten: boolean;
}

/**
 * Removes an entry from the list, and restores the files that were changed for it.
 *
 * @throws SvcError FORGET_ID_UNKNOWN, FORGET_FAILED, FORGET_LIST_INVALID, INDEX_LOCKED
 */
export async function undo(
  id: string,
  { target, clock, signal }: HideContext,
): Promise<UndoResult> {
  const { home, indexFile } = target;
  return withIndexLock(indexFile, { nowMs: clock.now(), signal }, async () => {
    const list = await home.readForgetList();
    const entry = list?.entries.find((one) => one.id === id);
    if (list === undefined || entry === undefined) {
      throw new SvcError('FORGET_ID_UNKNOWN', `forget entry ${JSON.stringify(id)} not found`, {
        hint: 'run "svc memory forget --list" to see the entries',
      });
    }
    refuseForeign(entry, home);
    const outcomes = entry.files
      .map((file) => withCurrentPaths(file, target))
      .map((file) => ({ file, restored: restoreFile(file) }));
    const entries = list.entries.filter((one) => one !== entry);
    await home.writeForgetList({ ...list, entries });
    for (const { file, restored } of outcomes) {
      // A backup that stays does no harm.
      if (restored) unlessSystemError(() => rmSync(file.backup, { force: true }));
    }
    const comparable = entries.filter(({ salt }) => salt === entry.salt);
    return {
      entry,
      stillIn: comparable
        .filter((other) => overlapOf(entry, [other]) !== 'none')
        .map((other) => other.id),
      staysForgotten: overlapOf(entry, comparable) === 'all',
      restored: outcomes.flatMap(({ file, restored }) => (restored ? [file.path] : [])),
      kept: outcomes.flatMap(({ file: { path, backup }, restored }) =>
        restored ? [] : [{ path, backup }],
      ),
    };
  });
}

/** Only the host that changed files has their backups, whatever its name is now. @throws SvcError FORGET_FAILED */
function refuseForeign({ id, files, origin }: ForgetEntry, { others }: IndexHome): void {
  const isForeign = others !== undefined && origin !== undefined && origin !== others.place.origin;
  const isHere = files.length === 0 || files.some(({ backup }) => existsSync(backup));
  if (!isForeign || isHere) return;
  throw new SvcError('FORGET_FAILED', `the files that ${id} changed are on ${origin}`, {
    hint: 'run the command there',
  });
}

/** Where a file of the workspace and its backup are now: both folders may have been moved since. */
function withCurrentPaths(file: ChangedFile, { forget, sources }: KeptIndex): ChangedFile {
  const { path, absolutePath, backup } = file;
  const oldWorkspace = absolutePath.slice(0, -path.length);
  const isMoved = absolutePath.endsWith(`/${path}`) && !existsSync(oldWorkspace);
  // Of `backupDir/id/number/name`, as hide.ts makes it.
  const moved = join(forget.backupDir, ...backup.split(sep).slice(-3));
  return {
    ...file,
    absolutePath: isMoved ? join(sources.memory.workspaceDir, path) : absolutePath,
    backup: existsSync(backup) ? backup : moved,
  };
}

/**
 * Restores a file from its backup if it is still as forgetting left it. A killed undo may have restored it already.
 *
 * @returns false when it was changed since, or the backup is gone: it is left alone
 * @throws SvcError FORGET_FAILED
 */
function restoreFile({ absolutePath, backup, leftHash, mode }: ChangedFile): boolean {
  return attempt(`cannot restore ${absolutePath}`, () => {
    const copy = statSync(backup, { throwIfNoEntry: false });
    const stats = lstatSync(absolutePath, { throwIfNoEntry: false });
    if (copy === undefined || stats?.isFile() === false) return false;
    const before = readRegularFile(backup);
    const now = stats === undefined ? null : readFileSync(absolutePath);
    if (now?.equals(before) === true) return true;
    if ((now === null ? null : hash('sha256', now)) !== leftHash) return false;
    // Someone may have removed the folder, which was left empty.
    makeFolders(dirname(absolutePath), SHARED_FOLDER_MODE);
    replaceFile(absolutePath, before, (stats?.mode ?? mode ?? copy.mode) & 0o777);
    return true;
  });
}

import { constants, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import {
  currentUser,
  type GuardedPath,
  linkFault,
  lookAt,
  pathFault,
  refuseFolder,
  refuseInsecure,
  refuseSpecial,
} from '../path-safety.js';
import { SecretFault } from '../secret-fault.js';

/** Not followed at the end of the path, and no wait for the writer of a pipe. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a file of secrets that keeps the rules of facts §3.3. The caller closes it.
 *
 * @throws SecretFault
 */
export async function openSecretFile(
  guarded: GuardedPath,
): Promise<{ readonly file: FileHandle; readonly stats: Stats }> {
  const seen = await lookAt(guarded);
  refuseFolder(guarded, seen);
  if (seen.isSymbolicLink()) throw linkFault(guarded);
  // Opening a device may already do something.
  refuseSpecial(guarded, seen);
  const file = await openAt(guarded);
  try {
    // Of the file that is open, whatever lies at the path by now.
    const stats = await file.stat();
    refuseSpecial(guarded, stats);
    refuseInsecure(guarded, stats, currentUser());
    refuseOtherNames(guarded, stats);
    return { file, stats };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function openAt(guarded: GuardedPath): Promise<FileHandle> {
  try {
    return await open(guarded.path, FLAGS);
  } catch (error) {
    throw pathFault(guarded, error);
  }
}

/** A second name may lie where others can reach it. Neither permission nor owner, so never waived. */
function refuseOtherNames({ path }: GuardedPath, stats: Stats): void {
  if (stats.nlink <= 1) return;
  throw new SecretFault(
    `${path} has ${stats.nlink} names (hard links)`,
    'copy it to a new file, and remove the old names',
  );
}

import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
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
import type { ExecProvider } from '../secret-context.js';
import { placeOf, SecretFault } from '../secret-fault.js';

/**
 * The file that a provider's `command` is, links resolved, when it keeps the rules of facts §3.3.
 * That file is to be run, not the link: a link may lead elsewhere by then.
 *
 * @throws SecretFault
 */
export async function findProgram(provider: ExecProvider, alias: string): Promise<string> {
  const { command, trustedDirs, allowInsecurePath, allowSymlinkCommand } = provider;
  const written: GuardedPath = { path: command, alias, key: 'command', allowInsecurePath };
  const seen = await lookAt(written);
  refuseFolder(written, seen);
  if (seen.isSymbolicLink() && !allowSymlinkCommand) throw linkFault(written);
  const program: GuardedPath = { ...written, path: await realPathOf(written) };
  const stats = await lookAt(program);
  refuseFolder(program, stats);
  refuseSpecial(program, stats);
  if (trustedDirs.length > 0 && !(await isInsideOne(program.path, trustedDirs))) {
    throw new SecretFault(
      `${program.path} lies in none of the trusted folders`,
      `add its folder to ${placeOf(alias)}.trustedDirs if you trust it`,
    );
  }
  refuseInsecure(program, stats, currentUser());
  return program.path;
}

async function realPathOf(guarded: GuardedPath): Promise<string> {
  try {
    return await realpath(guarded.path);
  } catch (error) {
    throw pathFault(guarded, error);
  }
}

/** @param path without links in it */
async function isInsideOne(path: string, folders: readonly string[]): Promise<boolean> {
  const inside = await Promise.all(folders.map((folder) => isInside(path, folder)));
  return inside.includes(true);
}

async function isInside(path: string, folder: string): Promise<boolean> {
  try {
    const way = relative(await realpath(folder), path);
    return way !== '' && !isAbsolute(way) && way.split(sep)[0] !== '..';
  } catch {
    // A folder that is not there holds no program.
    return false;
  }
}

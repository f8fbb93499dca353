import { chmodSync, chownSync, cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './run-svc.js';
import { SQLITE_BINARIES, SQLITE_PACKAGE } from './sqlite-package.js';
import { tempFolder } from './temp-folder.js';

/** The user "nobody", to whom file permissions apply, unlike root. */
const NOBODY = 65534;

/** The user for tests of permissions: another one only if this one is root. */
export const ORDINARY_UID = process.getuid?.() === 0 ? NOBODY : undefined;

/** Makes the ordinary user the owner of a folder and everything in it. */
export function giveToOrdinary(path: string): void {
  if (ORDINARY_UID === undefined) return;
  chownSync(path, ORDINARY_UID, ORDINARY_UID);
  for (const name of readdirSync(path, { recursive: true, encoding: 'utf8' })) {
    chownSync(join(path, name), ORDINARY_UID, ORDINARY_UID);
  }
}

/** A copy of the built program that the ordinary user can run, wherever the checkout is. */
export function ordinaryProgram(): string {
  if (ORDINARY_UID === undefined) return ROOT;
  const folder = tempFolder();
  chmodSync(folder.path, 0o755);
  for (const path of [
    'bin',
    'dist',
    'package.json',
    `${SQLITE_PACKAGE}/package.json`,
    `${SQLITE_PACKAGE}/lib`,
    `${SQLITE_PACKAGE}/${SQLITE_BINARIES}`,
  ]) {
    cpSync(join(ROOT, path), folder.at(path), { recursive: true });
  }
  return folder.path;
}

import { chmodSync, chownSync, cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './run-svc.js';
import { tempFolder } from './temp-folder.js';

/** "nobody": whom file permissions hold back, unlike root. */
const NOBODY = 65534;

/** The user to run as where permissions are to count: another one only when this one is root. */
export const ORDINARY_UID = process.getuid?.() === 0 ? NOBODY : undefined;

/** Makes the ordinary user the owner of a folder and everything in it. */
export function giveToOrdinary(path: string): void {
  if (ORDINARY_UID === undefined) return;
  chownSync(path, ORDINARY_UID, ORDINARY_UID);
  for (const name of readdirSync(path, { recursive: true, encoding: 'utf8' })) {
    chownSync(join(path, name), ORDINARY_UID, ORDINARY_UID);
  }
}

/** A copy of the built program that the ordinary user can run, wherever the checkout lies. */
export function ordinaryProgram(): string {
  if (ORDINARY_UID === undefined) return ROOT;
  const folder = tempFolder();
  chmodSync(folder.path, 0o755);
  const native = 'node_modules/better-sqlite3/build/Release';
  mkdirSync(folder.at(native), { recursive: true });
  for (const path of [
    'bin',
    'dist',
    'package.json',
    'node_modules/better-sqlite3/package.json',
    `${native}/better_sqlite3.node`,
  ]) {
    cpSync(join(ROOT, path), folder.at(path), { recursive: true });
  }
  return folder.path;
}

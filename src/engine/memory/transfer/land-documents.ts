import { hash } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, SvcError } from '../../errors/index.js';
import { PRIVATE_MODE, replaceFile } from '../../replace-file.js';
import type { ListedDocument } from './check-export.js';

/** What happens to a file that is there already with another content. */
export type ExistingFiles =
  /** Nothing is imported at all. */
  | 'refuse'
  /** It stays as it is. */
  | 'keep'
  /** It is replaced, and a backup is kept. */
  | 'replace';

/** What would become of each document of an export. */
export interface LandingPlan {
  /** Not there yet. */
  readonly fresh: readonly string[];
  /** There already, with the same content. */
  readonly same: readonly string[];
  /** There already, with another. */
  readonly different: readonly string[];
}

/**
 * Looks at where documents would land; writes nothing.
 *
 * @param root the folder they land in; need not be there
 * @throws SvcError IMPORT_FAILED when something other than a file or folder is in the way
 */
export function planLanding(root: string, documents: readonly ListedDocument[]): LandingPlan {
  const fresh: string[] = [];
  const same: string[] = [];
  const different: string[] = [];
  for (const { path, sha256 } of documents) {
    requireFolders(root, path);
    const file = join(root, path);
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats === undefined) fresh.push(path);
    else if (!stats.isFile()) throw inTheWay(path);
    else if (hash('sha256', readFileSync(file)) === sha256) same.push(path);
    else different.push(path);
  }
  return { fresh, same, different };
}

/**
 * Writes one document in one step, for its owner alone, with the time it was changed last.
 *
 * @param backupDir where what stands there now is copied to first; undefined where nothing does
 * @throws SvcError IMPORT_FAILED
 */
export function landDocument(
  root: string,
  document: { readonly path: string; readonly bytes: Buffer; readonly modifiedMs: number },
  backupDir: string | undefined,
): void {
  const { path, bytes, modifiedMs } = document;
  requireFolders(root, path);
  const file = join(root, path);
  try {
    if (backupDir !== undefined) {
      const backup = join(backupDir, path);
      mkdirSync(dirname(backup), { recursive: true, mode: 0o700 });
      replaceFile(backup, readFileSync(file), PRIVATE_MODE);
    }
    mkdirSync(dirname(file), { recursive: true });
    replaceFile(file, bytes, PRIVATE_MODE);
    utimesSync(file, modifiedMs / 1000, modifiedMs / 1000);
  } catch (error) {
    throw new SvcError('IMPORT_FAILED', `${path} could not be written: ${messageOf(error)}`, {
      hint: 'run the same command again once that is mended: what is written already is passed over',
      cause: error,
    });
  }
}

/** No part of the way may be a link, which could lead anywhere. */
function requireFolders(root: string, path: string): void {
  const parts = path.split('/').slice(0, -1);
  for (let length = 1; length <= parts.length; length++) {
    const below = parts.slice(0, length).join('/');
    const stats = lstatSync(join(root, below), { throwIfNoEntry: false });
    if (stats === undefined) return;
    if (!stats.isDirectory()) throw inTheWay(below);
  }
}

function inTheWay(path: string): SvcError {
  return new SvcError(
    'IMPORT_FAILED',
    `${path} is there and is neither a file nor a folder of notes`,
    {
      hint: 'symbolic links are not followed; choose another folder with --into',
    },
  );
}

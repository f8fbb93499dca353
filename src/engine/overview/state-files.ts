import { lstatSync, readdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { systemErrorCode } from '../errors/index.js';

/** A file of the state folder as it lies there; nothing of what is in it. */
export interface StateFileFacts {
  /** Relative to the state folder. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'other';
  readonly bytes: number;
  /** As `0600`. */
  readonly mode: string;
  readonly changed: string;
}

/** What can be told of a state folder from the outside. */
export interface StateFolderFacts {
  readonly files: readonly StateFileFacts[];
  /** Why there is no list; null when there is one. */
  readonly unreadable: string | null;
  /** Bytes that this user may still write there; null where the system does not tell. */
  readonly freeBytes: number | null;
}

/**
 * Folders that svc itself fills; their entries are listed too. Any other may hold the person's notes,
 * whose names are nobody's business.
 */
const OWN_FOLDERS: ReadonlySet<string> = new Set(['auth', 'logs', 'memory', 'models', 'runtimes']);

/** Lists the files of a state folder. */
export function stateFolderFacts(dir: string): StateFolderFacts {
  try {
    const files = readdirSync(dir).flatMap((name) => {
      const facts = factsOf(dir, name);
      if (facts.kind !== 'folder' || !OWN_FOLDERS.has(name)) return [facts];
      return [
        facts,
        ...readdirSync(join(dir, name)).map((inner) => factsOf(dir, join(name, inner))),
      ];
    });
    return { files, unreadable: null, freeBytes: freeBytes(dir) };
  } catch (error) {
    return { files: [], unreadable: systemErrorCode(error) ?? 'unknown error', freeBytes: null };
  }
}

function factsOf(dir: string, path: string): StateFileFacts {
  const stats = lstatSync(join(dir, path));
  return {
    path,
    kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other',
    bytes: stats.size,
    mode: (stats.mode & 0o7777).toString(8).padStart(4, '0'),
    changed: stats.mtime.toISOString(),
  };
}

function freeBytes(dir: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(dir);
    return bavail * bsize;
  } catch {
    return null;
  }
}

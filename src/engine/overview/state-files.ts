import { lstatSync, readdirSync, statfsSync } from 'node:fs';
import { basename, join } from 'node:path';
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
  /** How many others there are; their names are nobody's business. */
  readonly others: number;
  /** Why there is no list; null when there is one. */
  readonly unreadable: string | null;
  /** Bytes that this user may still write there; null where the system does not tell. */
  readonly freeBytes: number | null;
}

/** Folders that svc itself fills; their entries are looked at too. */
const OWN_FOLDERS: ReadonlySet<string> = new Set(['auth', 'logs', 'memory', 'models', 'runtimes']);

/** Names that svc gives. Whoever keeps notes in the same folder has named them otherwise. */
const OWN_NAME =
  /^(?:svc(?:\.schema)?\.json|serve\.\w+|local[.-][\w.-]+|github-copilot[\w.-]*\.json)$|\.(?:gguf|lock|log|sqlite)(?:[.-][\w.-]+)?$|\.svc\.tmp$/u;

/** Lists the files of a state folder that are svc's own. */
export function stateFolderFacts(dir: string): StateFolderFacts {
  try {
    const paths = readdirSync(dir).flatMap((name) => [
      name,
      ...(OWN_FOLDERS.has(name) ? namesIn(join(dir, name)).map((inner) => join(name, inner)) : []),
    ]);
    const own = paths.filter((path) => OWN_FOLDERS.has(path) || OWN_NAME.test(basename(path)));
    return {
      files: own.flatMap((path) => factsOf(dir, path)),
      others: paths.length - own.length,
      unreadable: null,
      freeBytes: freeBytes(dir),
    };
  } catch (error) {
    const unreadable = systemErrorCode(error) ?? 'unknown error';
    return { files: [], others: 0, unreadable, freeBytes: null };
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** None for a file that went away meanwhile. */
function factsOf(dir: string, path: string): readonly StateFileFacts[] {
  const stats = lstatSync(join(dir, path), { throwIfNoEntry: false });
  if (stats === undefined) return [];
  return [
    {
      path,
      kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other',
      bytes: stats.size,
      mode: (stats.mode & 0o7777).toString(8).padStart(4, '0'),
      changed: stats.mtime.toISOString(),
    },
  ];
}

function freeBytes(dir: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(dir);
    return bavail * bsize;
  } catch {
    return null;
  }
}

import { type FSWatcher, lstatSync, readdirSync, statSync, watch } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { isHandleShortage, systemErrorCode } from '../../errors/index.js';
import { unlessSystemError } from '../../support/files.js';
import { pushAll } from '../../support/lists.js';
import {
  ignoredFolderIn,
  isIgnoredFolder,
  isIgnoreFile,
  kindOfName,
  type MemorySources,
} from '../sources/index.js';
import { DATABASE_LOG, WatchScope } from './watch-scope.js';

export interface FolderWatchesOptions {
  readonly sources: MemorySources;
  readonly openWatch: OpenWatch;
  /** Something in the memory changed, near this path. */
  readonly onChange: (path: string) => void;
  /** A watch failed because the system ran out of them. */
  readonly onShortage: (error: unknown) => void;
}

interface WatchedFolder {
  readonly folder: string;
  readonly watch: ReturnType<OpenWatch>;
  /** To check whether the same folder is still at the path. */
  readonly identity: string;
}

/**
 * Whether one watch covers a whole tree; otherwise each folder needs one. On Linux, Node.js would open a watch per file.
 */
const WATCHES_TREES = process.platform === 'darwin' || process.platform === 'win32';

/** How often to repeat when folders change during a refresh. */
const ROUNDS = 3;

/**
 * The watches on a memory's files: one per root where the system supports that, one per folder on Linux (never one per
 * file). Events only mean that something changed; a scan finds out what. So their order and completeness do not matter:
 * {@link refresh}, called before each scan, brings the watches in line with the folders on disk.
 */
export class FolderWatches {
  private readonly options: FolderWatchesOptions;
  /** By path, with `**` appended for a recursive watch. */
  private readonly watched = new Map<string, WatchedFolder>();
  /** Paths that events reported as created, removed or replaced: a watch there may be on another folder. */
  private readonly suspects = new Set<string>();
  /** The state of each database's log at its last event, by path. */
  private readonly logStamps = new Map<string, string>();
  /** How many watches were opened so far. */
  private opened = 0;
  /** Undefined before the first refresh. */
  private scope: WatchScope | undefined;
  /** The trees, and watched folders in them. */
  private foldersInTrees: ReadonlySet<string> = new Set();

  constructor(options: FolderWatchesOptions) {
    this.options = options;
  }

  get count(): number {
    return this.watched.size;
  }

  /**
   * Opens missing watches and closes unneeded ones. A folder is watched before it is listed, so anything that
   * appears meanwhile is either in the list or an event.
   *
   * @returns whether watches were opened
   * @throws a system error when there are no more watches, see {@link isWatchShortage}
   */
  refresh(): boolean {
    const openedBefore = this.opened;
    this.closeSuspects();
    for (let round = 0; round < ROUNDS; round++) {
      const scope = new WatchScope(this.options.sources);
      this.scope = scope;
      const wanted = new Set<string>();
      for (const folder of scope.entries.keys()) this.ensureWatch(folder, false, wanted);
      this.foldersInTrees = this.openTrees(scope, wanted);
      for (const key of [...this.watched.keys()]) if (!wanted.has(key)) this.closeWatch(key);
      if (scope.key === new WatchScope(this.options.sources).key) break;
    }
    return this.opened > openedBefore;
  }

  close(): void {
    for (const key of [...this.watched.keys()]) this.closeWatch(key);
  }

  private openTrees(scope: WatchScope, wanted: Set<string>): Set<string> {
    const inside = new Set<string>();
    const pending = [...scope.trees];
    for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
      if (inside.has(folder) || !this.ensureWatch(folder, WATCHES_TREES, wanted)) continue;
      inside.add(folder);
      if (WATCHES_TREES) continue;
      pushAll(
        pending,
        foldersIn(folder).filter((below) => scope.enters(below)),
      );
    }
    return inside;
  }

  /** Whether the folder is watched now; adds its key to the set. */
  private ensureWatch(folder: string, recursive: boolean, wanted: Set<string>): boolean {
    const key = recursive ? folder + sep + BELOW : folder;
    const identity = identityOf(folder);
    if (identity === undefined) return false;
    if (this.watched.get(key)?.identity !== identity) {
      this.closeWatch(key);
      const watch = this.openWatch(folder, recursive, key);
      if (watch === undefined) return false;
      this.opened += 1;
      this.watched.set(key, { folder, watch, identity });
    }
    wanted.add(key);
    return true;
  }

  private openWatch(
    folder: string,
    recursive: boolean,
    key: string,
  ): ReturnType<OpenWatch> | undefined {
    try {
      return this.options.openWatch(folder, recursive, {
        onChange: (kind, name) => this.onWatchEvent(folder, kind, name),
        onError: (error) => this.onWatchError(key, error),
      });
    } catch (error) {
      if (isWatchShortage(error)) throw error;
      // It is gone or unreadable, so a scan cannot read it either.
      return undefined;
    }
  }

  private onWatchEvent(folder: string, kind: ChangeKind, name: string | undefined): void {
    const path = name === undefined ? folder : join(folder, name);
    const concerns = name === undefined || (this.concerns(path, kind) && this.isNewContent(path));
    // A deleted folder reports its own name.
    if (kind === 'rename' && name === basename(folder)) this.suspects.add(folder);
    // On folders above the memory, most events are unrelated.
    if (!concerns) return;
    if (kind === 'rename') this.suspects.add(path);
    this.options.onChange(path);
  }

  /** Whether a change at a path may affect a scan. */
  private concerns(path: string, kind: ChangeKind): boolean {
    const folder = dirname(path);
    const name = basename(path);
    if (this.scope?.entries.get(folder)?.has(name) === true) return true;
    if (!this.isInside(folder) || isIgnoredFolder(path)) return false;
    if (kindOfName(name, this.options.sources.memory) !== undefined) return true;
    if (isIgnoreFile(name) || this.scope?.isTranscript(path) === true) return true;
    // Other names only count as folders; a removed one is known by its watch.
    return kind === 'rename' && (this.watched.has(path) || this.mayBeFolder(folder, path));
  }

  /** Reading a database can report its log as changed; a scan for each such event would never end. */
  private isNewContent(path: string): boolean {
    if (!path.endsWith(DATABASE_LOG)) return true;
    const now = contentStamp(path);
    if (this.logStamps.get(path) === now) return false;
    this.logStamps.set(path, now);
    return true;
  }

  private isInside(folder: string): boolean {
    if (this.foldersInTrees.has(folder)) return true;
    if (!WATCHES_TREES) return false;
    for (const tree of this.scope?.trees ?? []) {
      if (!folder.startsWith(tree + sep)) continue;
      return ignoredFolderIn(folder.slice(tree.length)) === undefined;
    }
    return false;
  }

  private mayBeFolder(folder: string, path: string): boolean {
    try {
      return lstatSync(path).isDirectory();
    } catch {
      // With a recursive watch, there is no record of what was there.
      return WATCHES_TREES || identityOf(folder) === undefined;
    }
  }

  private onWatchError(key: string, error: unknown): void {
    const folder = this.watched.get(key)?.folder;
    this.closeWatch(key);
    if (isWatchShortage(error)) this.options.onShortage(error);
    else if (folder !== undefined) this.options.onChange(folder);
  }

  /** Anything at or below a suspect's path may have been moved away, including watches. */
  private closeSuspects(): void {
    if (this.suspects.size === 0) return;
    for (const [key, { folder }] of [...this.watched]) {
      for (let at = folder; dirname(at) !== at; at = dirname(at)) {
        if (this.suspects.has(at)) this.closeWatch(key);
      }
    }
    this.suspects.clear();
  }

  private closeWatch(key: string): void {
    this.watched.get(key)?.watch.close();
    this.watched.delete(key);
  }
}

const BELOW = '**';

/** Undefined if there is no folder. Inode numbers are reused, birth times are not. */
function identityOf(folder: string): string | undefined {
  const stats = unlessSystemError(() => statSync(folder));
  return stats?.isDirectory() === true
    ? `${stats.dev}:${stats.ino}:${stats.birthtimeMs}`
    : undefined;
}

/** Equal as long as nothing was written; empty for a missing file. */
function contentStamp(path: string): string {
  const stats = unlessSystemError(() => statSync(path));
  return stats === undefined ? '' : `${stats.size}:${stats.mtimeMs}`;
}

/** The subfolders that a scan would enter. */
function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(folder, entry.name))
      .filter((path) => !isIgnoredFolder(path));
  } catch (error) {
    if (isHandleShortage(error)) throw error;
    return [];
  }
}

/** `change`: content; `rename`: created, removed or replaced. */
type ChangeKind = 'change' | 'rename';

export interface WatchListener {
  /** @param name of the entry, relative to the folder; undefined if the system does not report it */
  onChange(kind: ChangeKind, name: string | undefined): void;
  /** The watch no longer works. */
  onError(error: unknown): void;
}

/**
 * Opens a watch on a folder, including its subfolders if `recursive`.
 *
 * @throws a system error; see {@link isWatchShortage}
 */
export type OpenWatch = (
  folder: string,
  recursive: boolean,
  listener: WatchListener,
) => Pick<FSWatcher, 'close'>;

export const openSystemWatch: OpenWatch = (folder, recursive, listener) => {
  const watcher = watch(folder, { recursive, encoding: 'utf8' });
  watcher.on('change', (kind, name) => {
    const named = typeof name === 'string' && name !== '' ? name : undefined;
    listener.onChange(kind === 'change' ? 'change' : 'rename', named);
  });
  watcher.on('error', (error) => listener.onError(error));
  return watcher;
};

/**
 * Whether a watch failed because a limit was reached: ENOSPC is the limit of watches per user (inotify(7)),
 * EMFILE that of instances per user or of handles per process.
 */
export function isWatchShortage(error: unknown): boolean {
  return SHORTAGES.has(systemErrorCode(error) ?? '');
}

const SHORTAGES: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'ENOSPC']);

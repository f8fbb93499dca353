import { lstatSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { isHandleShortage } from '../../errors/index.js';
import type { MemorySources } from '../sources/scan-sources.js';
import { isTranscriptName } from '../sources/transcripts/transcript-files.js';
import { isIgnoredFolder, kindOfName } from '../sources/walk.js';
import {
  type ChangeKind,
  type FolderWatch,
  isWatchShortage,
  type OpenWatch,
} from './open-watch.js';
import { isSameScope, type WatchScope, watchScope } from './watch-scope.js';

/** What the watches of one memory are told. */
export interface FolderWatchesOptions {
  readonly sources: MemorySources;
  readonly openWatch: OpenWatch;
  /** Whether one watch covers all below a folder; otherwise one is opened for every folder. */
  readonly recursive: boolean;
  /** Something that concerns the memory changed, at about this path. */
  readonly onChange: (path: string) => void;
  /** A watch broke because the system is out of them. */
  readonly onShortage: (error: unknown) => void;
}

interface Watched {
  readonly folder: string;
  readonly watch: FolderWatch;
  /** Tells whether the same folder is still at the path. */
  readonly identity: string;
}

/** Folders that change under the hand while they are looked at are looked at again, so often. */
const ROUNDS = 3;

/**
 * The watches that cover a memory's files: one a root where the system can do that, one a folder on
 * Linux (never one a file). They say only that something changed; what changed a scan finds out.
 * So nothing hangs on the order or completeness of events: {@link refresh}, called before each scan,
 * brings the watches in line with the folders that there are by then.
 */
export class FolderWatches {
  private readonly options: FolderWatchesOptions;
  /** By path; by path and `**` where a watch covers all below it. */
  private readonly watched = new Map<string, Watched>();
  /** Paths that an event named as come, gone or replaced: a watch there may be on another folder. */
  private readonly suspects = new Set<string>();
  private scope: WatchScope = { entries: new Map(), trees: new Set(), enters: () => true };
  /** The trees, and the folders below them that have a watch of their own. */
  private inside: ReadonlySet<string> = new Set();

  constructor(options: FolderWatchesOptions) {
    this.options = options;
  }

  /** How many watches are open. */
  get count(): number {
    return this.watched.size;
  }

  /**
   * Opens what is missing and closes what is not needed any more. A folder is watched before it is
   * listed: what appears in it meanwhile is either in the list or an event.
   *
   * @throws a system error when there are no more watches, see {@link isWatchShortage}
   */
  refresh(): void {
    this.closeSuspects();
    for (let round = 0; round < ROUNDS; round++) {
      const scope = watchScope(this.options.sources);
      this.scope = scope;
      const wanted = new Set<string>();
      for (const folder of scope.entries.keys()) this.ensure(folder, false, wanted);
      this.inside = this.openTrees(scope, wanted);
      for (const key of [...this.watched.keys()]) if (!wanted.has(key)) this.drop(key);
      if (isSameScope(scope, watchScope(this.options.sources))) return;
    }
  }

  close(): void {
    for (const key of [...this.watched.keys()]) this.drop(key);
  }

  private openTrees(scope: WatchScope, wanted: Set<string>): Set<string> {
    const { recursive } = this.options;
    const inside = new Set<string>();
    const pending = [...scope.trees];
    for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
      if (inside.has(folder) || !this.ensure(folder, recursive, wanted)) continue;
      inside.add(folder);
      if (recursive) continue;
      pending.push(...foldersIn(folder).filter((below) => scope.enters(below)));
    }
    return inside;
  }

  /** Whether the folder is watched now; its key goes to those that are wanted. */
  private ensure(folder: string, recursive: boolean, wanted: Set<string>): boolean {
    const key = recursive ? folder + sep + BELOW : folder;
    const identity = identityOf(folder);
    if (identity === undefined) return false;
    if (this.watched.get(key)?.identity !== identity) {
      this.drop(key);
      const watch = this.open(folder, recursive, key);
      if (watch === undefined) return false;
      this.watched.set(key, { folder, watch, identity });
    }
    wanted.add(key);
    return true;
  }

  private open(folder: string, recursive: boolean, key: string): FolderWatch | undefined {
    try {
      return this.options.openWatch(folder, recursive, {
        onChange: (kind, name) => this.changed(folder, kind, name),
        onError: (error) => this.broke(key, error),
      });
    } catch (error) {
      if (isWatchShortage(error)) throw error;
      // It went away just now, or may not be read: then a scan cannot read it either.
      return undefined;
    }
  }

  private changed(folder: string, kind: ChangeKind, name: string | undefined): void {
    const path = name === undefined ? folder : join(folder, name);
    const concerns = name === undefined || this.concerns(path, kind);
    // A folder that is itself deleted says so under its own name.
    if (kind === 'rename' && name === basename(folder)) this.suspects.add(folder);
    // Nothing else is remembered: of the folders on the way most events are somebody else's.
    if (!concerns) return;
    if (kind === 'rename') this.suspects.add(path);
    this.options.onChange(path);
  }

  /** Whether a change at a path can change what a scan finds. */
  private concerns(path: string, kind: ChangeKind): boolean {
    const folder = dirname(path);
    const name = basename(path);
    if (this.scope.entries.get(folder)?.has(name) === true) return true;
    if (!this.isInside(folder) || isIgnoredFolder(name)) return false;
    if (kindOfName(name, this.options.sources.memory.media) !== undefined) return true;
    if (this.options.sources.transcripts !== undefined && isTranscriptName(name)) return true;
    // Of other names only those of folders count; one that is gone is known by its watch.
    return kind === 'rename' && (this.watched.has(path) || this.mayBeFolder(folder, path));
  }

  private isInside(folder: string): boolean {
    if (this.inside.has(folder)) return true;
    if (!this.options.recursive) return false;
    for (const tree of this.scope.trees) {
      if (!folder.startsWith(tree + sep)) continue;
      return !folder.slice(tree.length).split(sep).some(isIgnoredFolder);
    }
    return false;
  }

  private mayBeFolder(folder: string, path: string): boolean {
    try {
      return lstatSync(path).isDirectory();
    } catch {
      // Where one watch covers a tree, nothing tells what was there.
      return this.options.recursive || identityOf(folder) === undefined;
    }
  }

  private broke(key: string, error: unknown): void {
    const folder = this.watched.get(key)?.folder;
    this.drop(key);
    if (isWatchShortage(error)) this.options.onShortage(error);
    else if (folder !== undefined) this.options.onChange(folder);
  }

  /** Whatever stood at or below a suspect's path may have been moved away, watches and all. */
  private closeSuspects(): void {
    if (this.suspects.size === 0) return;
    for (const [key, { folder }] of [...this.watched]) {
      for (let at = folder; dirname(at) !== at; at = dirname(at)) {
        if (this.suspects.has(at)) this.drop(key);
      }
    }
    this.suspects.clear();
  }

  private drop(key: string): void {
    this.watched.get(key)?.watch.close();
    this.watched.delete(key);
  }
}

const BELOW = '**';

/** Undefined where there is no folder. Numbers of folders are used again, their times are not. */
function identityOf(folder: string): string | undefined {
  try {
    const stats = statSync(folder);
    if (!stats.isDirectory()) return undefined;
    return `${stats.dev}:${stats.ino}:${stats.birthtimeMs}`;
  } catch {
    return undefined;
  }
}

/** The folders in a folder that a scan would enter. */
function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !isIgnoredFolder(entry.name))
      .map((entry) => join(folder, entry.name));
  } catch (error) {
    if (isHandleShortage(error)) throw error;
    return [];
  }
}

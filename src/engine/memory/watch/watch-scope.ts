import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { ifReadable } from '../../support/files.js';
import {
  Exclusions,
  isBelow,
  MEMORY_FOLDER,
  type MemorySources,
  mayHold,
  ROOT_FILES,
  TRANSCRIPT_READERS,
  type TranscriptPlace,
} from '../sources/index.js';

/** Which changes on disk concern a memory. */
export interface WatchScope {
  /** Folders in which only entries with these names count. */
  readonly entries: ReadonlyMap<string, ReadonlySet<string>>;
  /** Folders in which every memory file counts; real paths that existed a moment ago. */
  readonly trees: ReadonlySet<string>;
  /** Whether files in a subfolder of a tree count. */
  enters(folder: string): boolean;
  /** Whether a file in a tree is a transcript, or belongs to the database of some. */
  holds(file: string): boolean;
}

/** What SQLite appends to the name of a database for the log that most changes go to. */
export const DATABASE_LOG = '-wal';

/**
 * Where to look for changes, as the disk is now. That includes all folders above each root: a missing root
 * may appear, and an existing one may be moved with its parent. As in a scan, a symbolic link in place of a
 * root is not followed; one above it is.
 */
export function watchScope({ memory: files, transcripts }: MemorySources): WatchScope {
  const workspace = realPath(files.workspaceDir) ?? files.workspaceDir;
  const exclusions = new Exclusions(workspace, files.exclude);
  const scope = new ScopeBuilder(transcripts?.places ?? [], exclusions);
  for (const { root, reader } of transcripts?.places ?? []) {
    scope.addRoot(root);
    if (TRANSCRIPT_READERS[reader].conversations !== undefined) scope.addEntry(root + DATABASE_LOG);
  }
  scope.addWay(files.workspaceDir);
  scope.addWay(workspace);
  if (files.layout === 'folder') scope.addTree(workspace);
  else {
    for (const name of ROOT_FILES) scope.addEntry(join(workspace, name));
    scope.addRoot(join(workspace, MEMORY_FOLDER));
  }
  exclusions.around(workspace, 'workspace')?.enter(workspace);
  for (const extra of files.extraPaths) {
    const path = resolve(workspace, extra);
    scope.addRoot(path);
    exclusions.around(realPath(path) ?? path, kindOf(path) === 'file' ? 'file' : 'folder');
  }
  for (const ignoreFile of exclusions.lookedFor) scope.addEntry(ignoreFile);
  return scope;
}

class ScopeBuilder implements WatchScope {
  readonly entries = new Map<string, Set<string>>();
  readonly trees = new Set<string>();
  private readonly places: readonly PlaceOnDisk[];
  private readonly exclusions: Exclusions;

  constructor(places: readonly TranscriptPlace[], exclusions: Exclusions) {
    this.places = places.flatMap((place) => {
      const root = realPath(place.root);
      return root === undefined ? [] : [{ place, root }];
    });
    this.exclusions = exclusions;
  }

  enters(folder: string): boolean {
    const places = this.placesAround(folder);
    if (places.length > 0) return places.every((place) => isPart(place, folder, 'folder'));
    const trees = [...this.trees].filter((tree) => isBelow(tree, folder));
    return trees.some((tree) => !this.exclusions.excludes(tree, folder, true));
  }

  holds(file: string): boolean {
    return this.placesAround(file).some((place) => isPart(place, file, 'file'));
  }

  private placesAround(path: string): readonly PlaceOnDisk[] {
    return this.places.filter(({ root }) => isBelow(root, path));
  }

  /** A file, a folder, or missing. */
  addRoot(path: string): void {
    this.addWay(path);
    const kind = kindOf(path);
    const real = kind === 'other' ? undefined : realPath(path);
    if (real === undefined) return;
    this.addWay(real);
    if (kind === 'folder') this.addTree(real);
  }

  addTree(path: string): void {
    this.trees.add(path);
  }

  addWay(path: string): void {
    for (let at = path; dirname(at) !== at; at = dirname(at)) this.addEntry(at);
  }

  addEntry(path: string): void {
    const folder = dirname(path);
    const names = this.entries.get(folder) ?? new Set();
    this.entries.set(folder, names.add(basename(path)));
  }
}

interface PlaceOnDisk {
  readonly place: TranscriptPlace;
  /** Its real path. */
  readonly root: string;
}

function isPart({ place, root }: PlaceOnDisk, path: string, kind: 'file' | 'folder'): boolean {
  return mayHold(place, path.slice(root.length + 1).split(sep), kind);
}

function kindOf(path: string): 'file' | 'folder' | 'other' {
  try {
    const stats = lstatSync(path);
    if (stats.isDirectory()) return 'folder';
    return stats.isFile() ? 'file' : 'other';
  } catch {
    return 'other';
  }
}

/** Undefined when the path cannot be resolved. */
function realPath(path: string): string | undefined {
  return ifReadable(() => realpathSync(path));
}

export function isSameScope(a: WatchScope, b: WatchScope): boolean {
  return textOf(a) === textOf(b);
}

function textOf({ entries, trees }: WatchScope): string {
  return JSON.stringify([[...entries].map(([folder, names]) => [folder, ...names]), ...trees]);
}

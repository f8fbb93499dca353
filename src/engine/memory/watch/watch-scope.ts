import { lstatSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { realPath, unlessSystemError } from '../../support/files.js';
import { pathBelow, realOrGiven } from '../../support/paths.js';
import {
  Exclusions,
  MEMORY_FOLDER,
  type MemorySources,
  mayContainTranscript,
  ROOT_FILES,
  TRANSCRIPT_READERS,
  type TranscriptPlace,
} from '../sources/index.js';

/** What SQLite appends to the name of a database for the log that most changes go to. */
export const DATABASE_LOG = '-wal';

/**
 * Which changes on disk concern a memory, as the disk is now. That includes all folders above each root: a missing root
 * may appear, and an existing one may be moved with its parent. As in a scan, a symbolic link in place of a
 * root is not followed; one above it is.
 */
export class WatchScope {
  /** Folders in which only entries with these names count. */
  readonly entries = new Map<string, Set<string>>();
  /** Folders in which every memory file counts; real paths that existed a moment ago. */
  readonly trees = new Set<string>();
  private readonly places: readonly PlaceOnDisk[];
  private readonly exclusions: Exclusions;

  constructor({ memory: files, transcripts }: MemorySources) {
    const workspace = realOrGiven(files.workspaceDir);
    const places = transcripts?.places ?? [];
    const exclusions = new Exclusions(workspace, files.exclude);
    this.exclusions = exclusions;
    this.places = places.flatMap((place) => {
      const root = realOf(place.root);
      return root === undefined ? [] : [{ place, root }];
    });
    for (const { root, reader } of places) {
      this.addRoot(root);
      if (TRANSCRIPT_READERS[reader].conversations !== undefined)
        this.addEntry(root + DATABASE_LOG);
    }
    this.addWithParents(files.workspaceDir);
    this.addWithParents(workspace);
    if (files.layout === 'folder') this.trees.add(workspace);
    else {
      for (const name of ROOT_FILES) this.addEntry(join(workspace, name));
      this.addRoot(join(workspace, MEMORY_FOLDER));
    }
    exclusions.around(workspace, 'workspace')?.enter(workspace);
    for (const extra of files.extraPaths) {
      const path = resolve(workspace, extra);
      this.addRoot(path);
      exclusions.around(realOrGiven(path), kindOf(path) === 'file' ? 'file' : 'folder');
    }
    for (const ignoreFile of exclusions.ignoreFilePaths) this.addEntry(ignoreFile);
  }

  /** Equal for equal scopes. */
  get key(): string {
    const entries = [...this.entries].map(([folder, names]) => [folder, ...names]);
    return JSON.stringify([entries, ...this.trees]);
  }

  /** Whether files in a subfolder of a tree count. */
  enters(folder: string): boolean {
    const places = this.placesAround(folder);
    if (places.length > 0) return places.every((place) => isPartOf(place, folder, 'folder'));
    const trees = [...this.trees].filter((tree) => pathBelow(folder, tree) !== undefined);
    return trees.some((tree) => !this.exclusions.excludes(tree, folder, true));
  }

  /** Whether a file in a tree is a transcript, or belongs to the database of some. */
  isTranscript(file: string): boolean {
    return this.placesAround(file).some((place) => isPartOf(place, file, 'file'));
  }

  private placesAround(path: string): readonly PlaceOnDisk[] {
    return this.places.filter(({ root }) => pathBelow(path, root) !== undefined);
  }

  /** A file, a folder, or missing. */
  private addRoot(path: string): void {
    this.addWithParents(path);
    const kind = kindOf(path);
    const real = kind === 'other' ? undefined : realOf(path);
    if (real === undefined) return;
    this.addWithParents(real);
    if (kind === 'folder') this.trees.add(real);
  }

  /** Counts changes of a path itself and of all folders above it. */
  private addWithParents(path: string): void {
    for (let at = path; dirname(at) !== at; at = dirname(at)) this.addEntry(at);
  }

  private addEntry(path: string): void {
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

function isPartOf({ place, root }: PlaceOnDisk, path: string, kind: 'file' | 'folder'): boolean {
  return mayContainTranscript(place, path.slice(root.length + 1).split(sep), kind);
}

function kindOf(path: string): 'file' | 'folder' | 'other' {
  const stats = unlessSystemError(() => lstatSync(path));
  if (stats?.isDirectory() === true) return 'folder';
  return stats?.isFile() === true ? 'file' : 'other';
}

/** Undefined when the path cannot be resolved. */
function realOf(path: string): string | undefined {
  return unlessSystemError(() => realPath(path));
}

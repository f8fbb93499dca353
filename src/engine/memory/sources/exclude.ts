import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isInside } from '../../support/paths.js';
import type { SkippedFile } from '../types.js';
import {
  type ExcludeDecision,
  GITIGNORE,
  IgnoreFiles,
  PatternList,
  SVCIGNORE,
} from './pattern-list.js';

/** What a memory leaves out. Undefined where everything counts. */
export interface ExcludeSettings {
  /** `memorySearch.exclude`: gitignore patterns, the last match decides. */
  readonly patterns: readonly string[];
  /** `memorySearch.respectGitignore`; by default only in extra paths that are git work trees. */
  readonly respectGitignore?: boolean | undefined;
}

interface RuleLists {
  readonly setting: readonly PatternList[];
  /** Of svc's ignore files, innermost first. */
  readonly own: readonly PatternList[];
  /** Of git's ignore files, innermost first. */
  readonly git: readonly PatternList[];
}

/** What counts among the entries of one folder. */
export class FolderRules {
  private readonly files: IgnoreFiles;
  private readonly lists: RuleLists;
  private readonly ordered: readonly PatternList[];
  /** Which ignore files count. */
  private readonly names: readonly string[];

  constructor(files: IgnoreFiles, lists: RuleLists, names: readonly string[]) {
    this.files = files;
    this.lists = lists;
    this.ordered = [...lists.setting, ...lists.own, ...lists.git];
    this.names = names;
  }

  /** Undefined if no pattern matches. The setting is stronger than svc's ignore files, and they than git's. */
  decide(path: string, isFolder: boolean): ExcludeDecision | undefined {
    for (const list of this.ordered) {
      const decision = list.decide(path, isFolder);
      if (decision !== undefined) return decision;
    }
    return undefined;
  }

  /**
   * The rules inside a folder that counts.
   *
   * @param has whether the folder has an entry of this name; by default, it is tried
   * @returns undefined when an ignore file in it cannot be used: then nothing in it counts
   */
  enter(folder: string, has: (name: string) => boolean = () => true): FolderRules | undefined {
    const read = (name: string) =>
      this.names.includes(name) && has(name) ? this.files.read(folder, name) : undefined;
    const own = read(SVCIGNORE);
    const git = read(GITIGNORE);
    if (own === 'unusable' || git === 'unusable') return undefined;
    const isIncludedAgain = this.decide(folder, true)?.excluded === false;
    if (own === undefined && git === undefined && !isIncludedAgain) return this;
    const lists = {
      setting: this.lists.setting,
      own: [...(own === undefined ? [] : [own]), ...allExempting(this.lists.own, folder, true)],
      git: [...(git === undefined ? [] : [git]), ...allExempting(this.lists.git, folder, true)],
    };
    return new FolderRules(this.files, lists, this.names);
  }
}

function settingList(base: string, { patterns }: ExcludeSettings): readonly PatternList[] {
  if (patterns.length === 0) return [];
  const numbered = patterns.map((pattern, at) => ({ pattern, line: at + 1 }));
  return [new PatternList(base, { from: 'setting', file: undefined }, numbered)];
}

/** The lists, where a path counts even if they exclude it: they would exclude everything in it. */
function allExempting(
  lists: readonly PatternList[],
  path: string,
  isFolder: boolean,
): readonly PatternList[] {
  return lists.map((list) =>
    list.decide(path, isFolder)?.excluded === true ? list.exempting(path) : list,
  );
}

/** Where a walk starts: in the workspace, or at an extra path. */
export type WalkRoot = 'file' | 'folder' | 'workspace';

/** What one scan of a memory leaves out. */
export class Exclusions {
  private readonly workspaceDir: string;
  private readonly settings: ExcludeSettings | undefined;
  private readonly files: IgnoreFiles;
  private readonly inFolders = new Map<string, FolderRules | undefined>();

  /**
   * @param workspaceDir its real path
   * @param onSkip called with ignore files that cannot be used, with absolute paths
   */
  constructor(
    workspaceDir: string,
    settings: ExcludeSettings | undefined,
    onSkip: (skip: SkippedFile) => void = () => undefined,
  ) {
    this.workspaceDir = workspaceDir;
    this.settings = settings;
    this.files = new IgnoreFiles(onSkip);
  }

  /** Absolute paths of the ignore files that were tried; they need not exist. */
  get ignoreFilePaths(): Iterable<string> {
    return this.files.paths;
  }

  /**
   * The rules around a folder or file where a walk starts. In the workspace, patterns are relative to it, and
   * elsewhere to the folder.
   *
   * @returns undefined when an ignore file above it cannot be used
   */
  around(root: string, kind: WalkRoot): FolderRules | undefined {
    const { settings, workspaceDir } = this;
    const none = { setting: [], own: [], git: [] };
    if (settings === undefined) return new FolderRules(this.files, none, []);
    const folder = kind === 'file' ? dirname(root) : root;
    const base = isInside(root, workspaceDir) ? workspaceDir : folder;
    const top = this.gitTop(folder, kind, base);
    const own = this.readAll(base, root, SVCIGNORE);
    const git = top === undefined ? [] : this.readAll(top, root, GITIGNORE);
    if (own === undefined || git === undefined) return undefined;
    const lists = {
      setting: settingList(base, settings),
      own,
      // A configured path counts, even if git ignores it.
      git: allExempting(git, root, kind !== 'file'),
    };
    const names = top === undefined ? [SVCIGNORE] : [SVCIGNORE, GITIGNORE];
    return new FolderRules(this.files, lists, names);
  }

  /** Whether something below a folder where a walk starts is left out, or one of the folders around it. */
  excludes(root: string, path: string, isFolder: boolean): boolean {
    const rules = this.inside(root, dirname(path));
    return rules === undefined || rules.decide(path, isFolder)?.excluded === true;
  }

  private inside(root: string, folder: string): FolderRules | undefined {
    const key = `${root}\0${folder}`;
    if (!this.inFolders.has(key)) {
      const isRoot = folder === root || !isInside(folder, root);
      const kind = root === this.workspaceDir ? 'workspace' : 'folder';
      const around = isRoot ? this.around(root, kind) : this.inside(root, dirname(folder));
      const counts = around?.decide(folder, true)?.excluded !== true;
      this.inFolders.set(key, counts ? around?.enter(folder) : undefined);
    }
    return this.inFolders.get(key);
  }

  /** The ignore files from a folder to the one around a path, innermost first. */
  private readAll(top: string, path: string, name: string): readonly PatternList[] | undefined {
    const lists: PatternList[] = [];
    for (let at = path; at !== top && dirname(at) !== at; ) {
      at = dirname(at);
      const list = this.files.read(at, name);
      if (list === 'unusable') return undefined;
      if (list !== undefined) lists.push(list);
    }
    return lists;
  }

  /** The outermost folder whose `.gitignore` counts; undefined if none does. */
  private gitTop(folder: string, kind: WalkRoot, base: string): string | undefined {
    const { workspaceDir, settings } = this;
    const respects = settings?.respectGitignore;
    if (respects === false || (respects === undefined && kind !== 'folder')) return undefined;
    for (let at = folder; ; at = dirname(at)) {
      // By default, the work tree that the workspace is in does not count.
      if (respects === undefined && isInside(folder, workspaceDir) && isInside(workspaceDir, at)) {
        return undefined;
      }
      if (existsSync(join(at, '.git'))) return at;
      if (dirname(at) === at) return respects === true ? base : undefined;
    }
  }
}

import { closeSync, existsSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import type ignore from 'ignore';
import { isInside, READ_NO_LINK } from '../../support/files.js';
import { ignorePatternFault, MOST_IGNORE_PATTERNS } from '../../support/ignore-pattern.js';
import type { SkippedFile } from '../types.js';
import { skipOf } from './walk.js';

/** What a memory leaves out. Undefined where everything counts. */
export interface ExcludeSettings {
  /** `memorySearch.exclude`: gitignore patterns, the last match decides. */
  readonly patterns: readonly string[];
  /** `memorySearch.respectGitignore`; by default only in extra paths that are git work trees. */
  readonly respectGitignore?: boolean | undefined;
}

/** A pattern, and where it is written. */
export interface ExcludeRule {
  readonly from: 'setting' | 'svcignore' | 'gitignore';
  /** Absolute path of the ignore file; undefined for the setting. */
  readonly file: string | undefined;
  /** 1-based line of the file, or position in the setting. */
  readonly line: number;
  readonly pattern: string;
}

/** What the rules decided about a path. */
export interface ExcludeDecision {
  /** Absolute. */
  readonly path: string;
  /** False if a negated pattern includes it again. */
  readonly excluded: boolean;
  readonly rule: () => ExcludeRule;
}

const SVCIGNORE = '.svcignore';
const GITIGNORE = '.gitignore';

export function isIgnoreFile(name: string): boolean {
  return name === SVCIGNORE || name === GITIGNORE;
}

const MOST_BYTES = 64 * 1024;

/** Where file names differ by case only, patterns ignore case, as git does. */
const IGNORES_CASE = process.platform === 'darwin' || process.platform === 'win32';

type Pattern = Pick<ExcludeRule, 'line' | 'pattern'>;

/** Patterns that apply below a folder. */
class PatternList {
  private readonly folder: string;
  private readonly prefix: string;
  private readonly origin: Pick<ExcludeRule, 'file' | 'from'>;
  private readonly patterns: readonly Pattern[];
  /** Paths that it has no say about. */
  private readonly exempt: readonly string[];
  private readonly matcher: ignore.Ignore;

  constructor(
    folder: string,
    origin: Pick<ExcludeRule, 'file' | 'from'>,
    patterns: readonly Pattern[],
    exempt: readonly string[] = [],
  ) {
    this.folder = folder;
    this.prefix = folder.endsWith(sep) ? folder : folder + sep;
    this.origin = origin;
    this.patterns = patterns;
    this.exempt = exempt;
    const included = exempt.map((path) => `!/${escaped(this.below(path))}`);
    this.matcher = matcherOf([...patterns, ...included.map((pattern) => ({ line: 0, pattern }))]);
  }

  /** The same list, without a say about a folder: what is in the folder is not excluded with it. */
  without(folder: string): PatternList {
    const exempt: string[] = [...this.exempt];
    for (let at = folder; at !== this.folder; at = dirname(at)) exempt.unshift(at);
    return new PatternList(this.folder, this.origin, this.patterns, exempt);
  }

  /** Undefined if no pattern matches. */
  decide(path: string, isFolder: boolean): ExcludeDecision | undefined {
    const below = this.below(path);
    if (below === '' || this.exempt.includes(path)) return undefined;
    const name = below + (isFolder ? '/' : '');
    const { ignored, unignored, rule } = this.matcher.test(name);
    if (!ignored && !unignored) return undefined;
    const decided = (): Pattern | undefined =>
      ignored
        ? this.patterns.find(({ line }) => line === Number(rule?.mark))
        : this.patterns.findLast((pattern) => includesAgain(pattern, name));
    const ruleOf = (): ExcludeRule => ({
      ...this.origin,
      ...(decided() ?? { line: 1, pattern: '' }),
    });
    return { path, excluded: ignored, rule: ruleOf };
  }

  private below(path: string): string {
    const below = path.slice(this.prefix.length);
    return sep === '/' ? below : below.replaceAll(sep, '/');
  }
}

function escaped(name: string): string {
  return name.replaceAll(/[\\*?[\]\s]/gu, '\\$&');
}

function includesAgain({ line, pattern }: Pattern, name: string): boolean {
  if (!pattern.startsWith('!')) return false;
  return matcherOf([{ line, pattern: pattern.slice(1) }]).test(name).ignored;
}

function matcherOf(patterns: readonly Pattern[]): ignore.Ignore {
  // Loaded here, because most memories exclude nothing.
  const create: typeof ignore = requireHere('ignore');
  const matcher = create({ ignorecase: IGNORES_CASE });
  for (const { pattern, line } of patterns) matcher.add({ pattern, mark: String(line) });
  return matcher;
}

const requireHere = createRequire(import.meta.url);

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
      own: [...(own === undefined ? [] : [own]), ...counting(this.lists.own, folder, true)],
      git: [...(git === undefined ? [] : [git]), ...counting(this.lists.git, folder, true)],
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
function counting(
  lists: readonly PatternList[],
  path: string,
  isFolder: boolean,
): readonly PatternList[] {
  return lists.map((list) =>
    list.decide(path, isFolder)?.excluded === true ? list.without(path) : list,
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

  /** Absolute paths of the ignore files that were looked for. */
  get lookedFor(): Iterable<string> {
    return this.files.lookedFor;
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
      git: counting(git, root, kind !== 'file'),
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

/** Reads each ignore file once. */
class IgnoreFiles {
  private readonly onSkip: (skip: SkippedFile) => void;
  private readonly lists = new Map<string, PatternList | 'unusable' | undefined>();

  constructor(onSkip: (skip: SkippedFile) => void) {
    this.onSkip = onSkip;
  }

  get lookedFor(): Iterable<string> {
    return this.lists.keys();
  }

  /** Undefined if there is none. */
  read(folder: string, name: string): PatternList | 'unusable' | undefined {
    const file = join(folder, name);
    if (!this.lists.has(file)) this.lists.set(file, this.tryRead(folder, file, name));
    return this.lists.get(file);
  }

  /** What cannot be read might exclude anything, so the folder is left out and the file reported. */
  private tryRead(
    folder: string,
    file: string,
    name: string,
  ): PatternList | 'unusable' | undefined {
    const text = readIgnoreFile(file);
    if (text === undefined) return undefined;
    const from = name === SVCIGNORE ? 'svcignore' : 'gitignore';
    const patterns = typeof text === 'string' ? patternsIn(text, file) : text;
    if ('reason' in patterns) {
      const detail = patterns.detail === undefined ? '' : `${patterns.detail}; `;
      this.onSkip({ ...patterns, detail: `${detail}nothing in its folder is indexed` });
      return 'unusable';
    }
    return patterns.length === 0 ? undefined : new PatternList(folder, { from, file }, patterns);
  }
}

function readIgnoreFile(file: string): SkippedFile | string | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, READ_NO_LINK);
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return undefined;
    if (stats.size > MOST_BYTES) return tooLarge(file);
    const bytes = readFileSync(descriptor);
    return bytes.length > MOST_BYTES ? tooLarge(file) : bytes.toString('utf8');
  } catch (error) {
    const skip = skipOf(file, error);
    return skip.reason === 'vanished' ? undefined : skip;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function tooLarge(path: string): SkippedFile {
  return { path, reason: 'too_large', detail: `the limit is ${MOST_BYTES / 1024} KB` };
}

function patternsIn(text: string, path: string): SkippedFile | readonly Pattern[] {
  const patterns: Pattern[] = [];
  for (const [at, row] of text
    .replace(/^\uFEFF/u, '')
    .split(/\r?\n/u)
    .entries()) {
    if (row.trim() === '' || row.startsWith('#')) continue;
    const line = at + 1;
    const fault = ignorePatternFault(row);
    if (fault !== undefined) {
      return { path, reason: 'wrong_format', detail: `line ${line} ${fault}` };
    }
    patterns.push({ line, pattern: row });
  }
  if (patterns.length > MOST_IGNORE_PATTERNS) {
    return { path, reason: 'too_large', detail: `more than ${MOST_IGNORE_PATTERNS} patterns` };
  }
  return patterns;
}

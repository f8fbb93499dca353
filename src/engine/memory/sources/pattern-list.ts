import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import type ignore from 'ignore';
import { systemErrorCode } from '../../errors/index.js';
import { READ_NO_LINK, readRegularFile } from '../../support/files.js';
import { ignorePatternFault, MOST_IGNORE_PATTERNS } from '../../support/ignore-pattern.js';
import { textByMark } from '../../support/text.js';
import type { SkippedFile } from '../types.js';
import { skipOf } from './skips.js';

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

/** Where file names differ by case only, patterns ignore case, as git does. */
const IGNORES_CASE = process.platform === 'darwin' || process.platform === 'win32';

type Pattern = Pick<ExcludeRule, 'line' | 'pattern'>;

/** Patterns that apply below a folder. */
export class PatternList {
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
    const included = exempt.map(
      (path) => `!/${this.below(path).replaceAll(/[\\*?[\]\s]/gu, '\\$&')}`,
    );
    this.matcher = matcherOf([...patterns, ...included.map((pattern) => ({ line: 0, pattern }))]);
  }

  /** The same list, without a say about a folder: what is in the folder is not excluded with it. */
  exempting(folder: string): PatternList {
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

  /** Composed, like patterns: some systems decompose the names of files. */
  private below(path: string): string {
    const below = path.slice(this.prefix.length).normalize('NFC');
    return sep === '/' ? below : below.replaceAll(sep, '/');
  }
}

function includesAgain({ line, pattern }: Pattern, name: string): boolean {
  if (!pattern.startsWith('!')) return false;
  return matcherOf([{ line, pattern: pattern.slice(1) }]).test(name).ignored;
}

function matcherOf(patterns: readonly Pattern[]): ignore.Ignore {
  // Loaded here, because most memories exclude nothing.
  const create: typeof ignore = requireHere('ignore');
  const matcher = create({ ignorecase: IGNORES_CASE });
  for (const { pattern, line } of patterns) {
    matcher.add({ pattern: pattern.normalize('NFC'), mark: String(line) });
  }
  return matcher;
}

const requireHere = createRequire(import.meta.url);

export const SVCIGNORE = '.svcignore';
export const GITIGNORE = '.gitignore';

export function isIgnoreFile(name: string): boolean {
  return name === SVCIGNORE || name === GITIGNORE;
}

const MOST_BYTES = 64 * 1024;

/** Reads each ignore file once. */
export class IgnoreFiles {
  private readonly onSkip: (skip: SkippedFile) => void;
  private readonly lists = new Map<string, PatternList | 'unusable' | undefined>();

  constructor(onSkip: (skip: SkippedFile) => void) {
    this.onSkip = onSkip;
  }

  /** Absolute paths of all files that were tried. */
  get paths(): Iterable<string> {
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
  try {
    return textByMark(readRegularFile(file, MOST_BYTES, READ_NO_LINK));
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'EFBIG') {
      return { path: file, reason: 'too_large', detail: `the limit is ${MOST_BYTES / 1024} KB` };
    }
    if (code === 'EFTYPE' || code === 'EISDIR') return undefined;
    const skip = skipOf(file, error);
    return skip.reason === 'vanished' ? undefined : skip;
  }
}

function patternsIn(text: string, path: string): SkippedFile | readonly Pattern[] {
  const patterns: Pattern[] = [];
  for (const [at, row] of text.split(/\r?\n/u).entries()) {
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

import { createRequire } from 'node:module';
import { dirname, sep } from 'node:path';
import type ignore from 'ignore';

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

export type Pattern = Pick<ExcludeRule, 'line' | 'pattern'>;

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

import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { READ_NO_LINK } from '../../support/files.js';
import { ignorePatternFault, MOST_IGNORE_PATTERNS } from '../../support/ignore-pattern.js';
import type { SkippedFile } from '../types.js';
import { type Pattern, PatternList } from './pattern-list.js';
import { skipOf } from './walk.js';

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

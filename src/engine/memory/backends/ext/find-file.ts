import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { realPath, unlessSystemError } from '../../../support/files.js';
import { isInside } from '../../../support/paths.js';
import type { LineRange } from '../../types.js';

/** Limits on depth and number of names when searching a folder for one file. */
const MOST_DEPTH = 32;
const MOST_NAMES = 50_000;

/**
 * The real file for a path that the program reports. It rewrites paths: in lower case up to release 2, and in
 * every release with dashes for anything but letters and digits.
 *
 * @param isRight distinguishes files whose rewritten names are equal
 * @returns its absolute path, never outside the folder; undefined when there is none
 */
export function findFile(
  root: string,
  path: string,
  isRight: (file: string) => boolean,
): string | undefined {
  const exact = fileBelow(root, path);
  if (exact !== undefined && isRight(exact)) return exact;
  const wanted = path.split('/').map(preserved);
  const likely = filesLike(root, wanted, { left: MOST_NAMES });
  return likely.find(isRight) ?? exact ?? likely[0];
}

/** What every release preserves of a name: composed letters, but no accents that are characters of their own. */
function preserved(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}$]+/gu, '');
}

/** A name as it is preserved by releases that drop symbols, and by those that write their code points. */
function formsOf(name: string): readonly string[] {
  const codePoint = (symbol: string): string => symbol.codePointAt(0)?.toString(16) ?? '';
  return [name, name.replaceAll(/[\p{So}\p{Sk}]/gu, codePoint)].map(preserved);
}

function filesLike(
  folder: string,
  segments: readonly string[],
  budget: { left: number },
): readonly string[] {
  const [first, ...rest] = segments;
  if (first === undefined || segments.length > MOST_DEPTH) return [];
  const files: string[] = [];
  // It may have been removed since it was indexed.
  for (const entry of unlessSystemError(() => readdirSync(folder, { withFileTypes: true })) ?? []) {
    budget.left -= 1;
    if (budget.left < 0) return files;
    const path = join(folder, entry.name);
    const forms = formsOf(entry.name);
    if (entry.isFile() && isLike(entry.name, segments)) files.push(path);
    if (!entry.isDirectory()) continue;
    if (rest.length > 0 && forms.includes(first)) files.push(...filesLike(path, rest, budget));
    // The program leaves out a folder of whose name nothing is preserved.
    if (forms.includes('')) files.push(...filesLike(path, segments, budget));
  }
  return files;
}

/** The program writes a folder as three underscores. */
function isLike(name: string, segments: readonly string[]): boolean {
  const isWhole = segments.length === 1 || name.includes('___');
  return isWhole && formsOf(name).includes(segments.join(''));
}

/** Undefined for non-files and for paths that lead outside through links. */
function fileBelow(root: string, path: string): string | undefined {
  return unlessSystemError(() => {
    const real = realPath(join(root, path));
    return isInside(real, root) && statSync(real).isFile() ? real : undefined;
  });
}

/** The end of a truncated snippet. */
const TRUNCATION = /(?:\.\.\.|…)$/u;

/**
 * Where lines that the program showed are in the current file: at the reported line, else at the nearest place that has
 * them all, else at the nearest that has the longest one.
 *
 * @param shown lines as they were when the file was indexed; the last may be truncated
 * @param near 1-based line that the program reports, if any
 * @returns undefined when the file no longer contains any of it
 */
export function findLines(
  lines: readonly string[],
  shown: readonly string[],
  near: number | undefined,
): LineRange | undefined {
  const from = shown.findIndex((line) => line.trim() !== '');
  const to = shown.findLastIndex((line) => line.trim() !== '');
  if (from === -1) {
    if (near === undefined) return undefined;
    const line = Math.max(1, Math.min(near, lines.length));
    return { startLine: line, endLine: line };
  }
  const wanted = shown.slice(from, to + 1);
  const hint = near === undefined ? 0 : near - 1 + from;
  const start = nearest(lines.length, hint, (at) =>
    wanted.every((line, offset) => isSame(lines[at + offset], line, offset === wanted.length - 1)),
  );
  if (start !== undefined) return { startLine: start + 1, endLine: start + wanted.length };
  const longest = wanted.toSorted((a, b) => b.length - a.length)[0] ?? '';
  const only = nearest(lines.length, hint, (at) => isSame(lines[at], longest, true));
  return only === undefined ? undefined : { startLine: only + 1, endLine: only + 1 };
}

/** The position closest to a hint that satisfies a predicate. */
function nearest(
  count: number,
  hint: number,
  isRight: (position: number) => boolean,
): number | undefined {
  const middle = Math.min(Math.max(hint, 0), count - 1);
  for (let distance = 0; distance < count; distance++) {
    const [before, after] = [middle - distance, middle + distance];
    if (before >= 0 && isRight(before)) return before;
    if (distance > 0 && after < count && isRight(after)) return after;
  }
  return undefined;
}

function isSame(line: string | undefined, shown: string, mayBeCut: boolean): boolean {
  if (line === undefined) return false;
  const [real, wanted] = [line.trimEnd(), shown.trimEnd()];
  if (real === wanted) return true;
  if (!mayBeCut || !TRUNCATION.test(wanted)) return false;
  const beginning = wanted.replace(TRUNCATION, '');
  return beginning !== '' && real.startsWith(beginning);
}

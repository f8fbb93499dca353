import type { LineRange } from '../../types.js';

/** What the program cut a snippet off with. */
const CUT = /(?:\.\.\.|…)$/u;

/**
 * Where lines that the program showed stand in the file as it is now: at the place that it names, else at
 * the nearest one that has them all, else at the nearest that has the longest of them.
 *
 * @param lines of the file
 * @param shown lines as they were when the file was indexed; the last may be cut
 * @param near 1-based line that the program names; undefined where it names none
 * @returns undefined when the file has none of it any more
 */
export function findLines(
  lines: readonly string[],
  shown: readonly string[],
  near: number | undefined,
): LineRange | undefined {
  const from = shown.findIndex((line) => line.trim() !== '');
  const to = shown.findLastIndex((line) => line.trim() !== '');
  if (from === -1) return near === undefined ? undefined : clamped(near, near, lines.length);
  const wanted = shown.slice(from, to + 1);
  const hint = near === undefined ? 0 : near - 1 + from;
  const start = nearest(lines.length, hint, (at) =>
    wanted.every((line, offset) => isSame(lines[at + offset], line, offset === wanted.length - 1)),
  );
  if (start !== undefined) return { startLine: start + 1, endLine: start + wanted.length };
  const telling = wanted.toSorted((a, b) => b.length - a.length)[0] ?? '';
  const only = nearest(lines.length, hint, (at) => isSame(lines[at], telling, true));
  return only === undefined ? undefined : { startLine: only + 1, endLine: only + 1 };
}

/** Positions of a file from a hint outwards, until one is right. */
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
  if (!mayBeCut || !CUT.test(wanted)) return false;
  const beginning = wanted.replace(CUT, '');
  return beginning !== '' && real.startsWith(beginning);
}

function clamped(start: number, end: number, count: number): LineRange {
  const within = (line: number): number => Math.min(Math.max(1, line), Math.max(1, count));
  return { startLine: within(start), endLine: within(end) };
}

import { structuredPatch } from 'diff';

/** One line of a diff, for people. */
export interface DiffLine {
  readonly kind: 'added' | 'context' | 'removed';
  readonly text: string;
}

const CONTEXT_LINES = 2;
/** More changed lines than that take longer than a reader waits: everything counts as changed then. */
const MOST_CHANGES = 2000;
const KINDS: Readonly<Record<string, DiffLine['kind']>> = { '+': 'added', '-': 'removed' };

/**
 * The changed lines from one text to another, each place with two lines of context, and `…` between
 * places. Empty for texts with the same lines.
 */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [old, now] = [withLineEnds(before), withLineEnds(after)];
  const limits = { context: CONTEXT_LINES, maxEditLength: MOST_CHANGES };
  const patch = structuredPatch('', '', old, now, '', '', limits);
  if (patch === undefined) return changeLines(linesOf(old), linesOf(now));
  return patch.hunks.flatMap(({ lines }, at) => [
    ...(at === 0 ? [] : [lineOf('context')('…')]),
    ...lines.map((line) => lineOf(KINDS[line.charAt(0)] ?? 'context')(line.slice(1))),
  ]);
}

/** A diff of removed and added lines. */
export function changeLines(
  removed: readonly string[],
  added: readonly string[],
): readonly DiffLine[] {
  return [...removed.map(lineOf('removed')), ...added.map(lineOf('added'))];
}

function lineOf(kind: DiffLine['kind']): (text: string) => DiffLine {
  return (text) => ({ kind, text });
}

/** Line endings are not shown, so they do not count as changes either. */
function withLineEnds(text: string): string {
  return text.replace(/(?<=[^\r\n])$/u, '\n').replaceAll(/\r\n?/gu, '\n');
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').slice(0, -1);
}

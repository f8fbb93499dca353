/** One line of a diff, for people. */
export interface DiffLine {
  readonly kind: 'added' | 'context' | 'removed';
  readonly text: string;
}

const CONTEXT_LINES = 2;

/**
 * The diff of two texts that differ in one place, with two lines of context. Empty for equal texts.
 */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  if (before === after) return [];
  const old = linesOf(before);
  const now = linesOf(after);
  const head = commonHead(old, now);
  const tail = commonHead(old.slice(head).reverse(), now.slice(head).reverse());
  return [
    ...old.slice(Math.max(0, head - CONTEXT_LINES), head).map(lineOf('context')),
    ...old.slice(head, old.length - tail).map(lineOf('removed')),
    ...now.slice(head, now.length - tail).map(lineOf('added')),
    ...now
      .slice(now.length - tail)
      .slice(0, CONTEXT_LINES)
      .map(lineOf('context')),
  ];
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

/** Without an empty line after a final line ending. */
function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r\n|\r|\n/u);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function commonHead(a: readonly string[], b: readonly string[]): number {
  const differs = a.findIndex((line, at) => line !== b[at]);
  return differs === -1 ? a.length : differs;
}

/** Longer runs of backticks are not code, as in CommonMark's own parser. Bounds how often a line is searched. */
const LONGEST_RUN = 80;
const BACKTICK = 96;

/** A line with a single backtick for each piece of inline code. */
export function withoutInlineCode(line: string): string {
  const unclosed = new Set<number>();
  let text = '';
  let from = 0;
  const special = /\\.?|`/gu;
  for (let found = special.exec(line); found !== null; found = special.exec(line)) {
    if (found[0] !== '`') continue;
    text += `${line.slice(from, found.index)}\``;
    from = codeEnd(line, found.index, unclosed);
    special.lastIndex = from;
  }
  return text + line.slice(from);
}

/**
 * Where code that starts at a run of backticks ends: after the next run of the same length, or after the run itself.
 *
 * @param unclosed lengths of runs that no later run has, so that a line is searched once for each
 */
export function codeEnd(line: string, start: number, unclosed: Set<number>): number {
  const open = runEnd(line, start);
  const length = open - start;
  if (length > LONGEST_RUN || unclosed.has(length)) return open;
  for (let at = line.indexOf('`', open); at !== -1; ) {
    const end = runEnd(line, at);
    if (end - at === length) return end;
    at = line.indexOf('`', end);
  }
  unclosed.add(length);
  return open;
}

function runEnd(line: string, start: number): number {
  let end = start;
  while (line.charCodeAt(end) === BACKTICK) end += 1;
  return end;
}

/** A fence that opened a block of code. */
interface Fence {
  /** Its backticks or tildes. */
  readonly marks: string;
  readonly indentation: string;
  /** The width of that. */
  readonly columns: number;
}

/** In a list item, it is indented further than elsewhere. */
const OPENING = /^([ \t]*)(`{3,}|~{3,})/u;
const CLOSING = /^([ \t]*)(`{3,}|~{3,})\s*$/u;
/** How much further than the text around it a fence may be indented. */
const MOST_INDENTATION = 3;

/** Finds the fenced code in Markdown (CommonMark 0.31, 4.5), one line after the other. */
export class CodeFences {
  private open: Fence | undefined;

  /** The line that would close the code; undefined outside of code. */
  get closing(): string | undefined {
    return this.open === undefined ? undefined : this.open.indentation + this.open.marks;
  }

  /** Reads the next line. @returns whether it is code or a fence */
  isCode(line: string): boolean {
    const { open } = this;
    if (open === undefined || isOutside(open, line)) {
      this.open = openingFence(line);
      return this.open !== undefined;
    }
    if (isClosedBy(open, line)) this.open = undefined;
    return true;
  }
}

/** Whether a line opens a block of code. */
export function opensCode(line: string): boolean {
  return openingFence(line) !== undefined;
}

/** The line that closes code that is open at the end of a text, which would swallow what follows. */
export function closingFence(lines: readonly string[]): string | undefined {
  const fences = new CodeFences();
  for (const line of lines) fences.isCode(line);
  return fences.closing;
}

/** The lines of a text that are not fenced code. */
export function linesOutsideCode(text: string): readonly string[] {
  const fences = new CodeFences();
  return text.split(/\r?\n/u).filter((line) => !fences.isCode(line));
}

function openingFence(line: string): Fence | undefined {
  const found = OPENING.exec(line);
  if (found === null) return undefined;
  const [start, indentation = '', marks = ''] = found;
  // Backticks after the first ones make it inline code.
  if (marks.startsWith('`') && line.includes('`', start.length)) return undefined;
  return { marks, indentation, columns: columnsOf(indentation) };
}

function isClosedBy(open: Fence, line: string): boolean {
  // Nearly all lines of a block have none.
  if (!line.includes(open.marks)) return false;
  const [, indentation = '', marks] = CLOSING.exec(line) ?? [];
  if (marks?.startsWith(open.marks) !== true) return false;
  return columnsOf(indentation) <= open.columns + MOST_INDENTATION;
}

/** Code in a list item ends with the item, even if no fence closes it. */
function isOutside({ columns }: Fence, line: string): boolean {
  if (columns <= MOST_INDENTATION || line.trim() === '') return false;
  const indentation = line.slice(0, line.search(/[^ \t]/u));
  return columnsOf(indentation) < columns - MOST_INDENTATION;
}

function columnsOf(indentation: string): number {
  return indentation.replaceAll('\t', '    ').length;
}

import stringWidth from 'string-width';

/** Style of a piece of text. */
export interface Look {
  readonly bold: boolean;
  readonly dim: boolean;
  readonly underline: boolean;
  readonly inverse: boolean;
  /** An ANSI color from 31 to 36, or from 91 to 96; undefined for the default. */
  readonly color: number | undefined;
}

/** Adjacent characters of the same style. */
export interface Run {
  readonly column: number;
  readonly columns: number;
  readonly text: string;
  readonly look: Look;
}

interface Cell {
  readonly text: string;
  readonly columns: number;
  readonly look: Look;
}

const PLAIN: Look = {
  bold: false,
  dim: false,
  underline: false,
  inverse: false,
  color: undefined,
};
// biome-ignore lint/suspicious/noControlCharactersInRegex: this is what a terminal reads
const TOKEN = /\x1b\[([?\d;]*)([A-Za-z])|[^\x1b]+/g;
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** A minimal terminal emulator, with the escape sequences that svc uses. */
export class Grid {
  private rows: (Cell | undefined)[][] = [];
  private look = PLAIN;
  private x = 0;
  private y = 0;

  write(data: string): void {
    for (const [text, numbers = '', final] of data.matchAll(TOKEN)) {
      if (final === undefined) for (const { segment } of graphemes.segment(text)) this.put(segment);
      else this.control(numbers, final);
    }
  }

  /** The rows from top to bottom, without blank ones at the end. */
  runs(): readonly (readonly Run[])[] {
    const rows = Array.from(this.rows, (row) => runsOf(row ?? []));
    while (rows.at(-1)?.every(({ text, look }) => text.trim() === '' && !look.inverse)) rows.pop();
    return rows;
  }

  /** The rows as plain text. */
  text(): string {
    const line = (row: readonly Run[]): string =>
      row.reduce(
        (text, run) => `${text}${' '.repeat(run.column - stringWidth(text))}${run.text}`,
        '',
      );
    return this.runs()
      .map((row) => line(row).trimEnd())
      .join('\n');
  }

  private put(character: string): void {
    if (character === '\r') this.x = 0;
    else if (character === '\n') this.y += 1;
    else if (character === '\r\n') {
      this.x = 0;
      this.y += 1;
    } else {
      const columns = stringWidth(character);
      this.rows[this.y] ??= [];
      const row = this.rows[this.y] ?? [];
      row[this.x] = { text: character, columns, look: this.look };
      this.x += columns;
    }
  }

  private control(numbers: string, final: string): void {
    const count = Number(numbers === '' ? 1 : numbers);
    if (final === 'm') this.paint(numbers);
    else if (final === 'A') this.y = Math.max(0, this.y - count);
    else if (final === 'B') this.y += count;
    else if (final === 'G') this.x = count - 1;
    else if (final === 'K') this.rows[this.y] = [];
    else if (final === 'J') this.rows = [];
    else if (final === 'H') {
      this.x = 0;
      this.y = 0;
    }
  }

  private paint(numbers: string): void {
    for (const number of numbers.split(';').map(Number)) {
      if (number === 0) this.look = PLAIN;
      else this.look = { ...this.look, ...CHANGES[number], ...colorOf(number) };
    }
  }
}

const CHANGES: Readonly<Record<number, Partial<Look>>> = {
  1: { bold: true },
  2: { dim: true },
  4: { underline: true },
  7: { inverse: true },
  22: { bold: false, dim: false },
  24: { underline: false },
  27: { inverse: false },
  39: { color: undefined },
};

function colorOf(number: number): Partial<Look> {
  return (number >= 31 && number <= 36) || (number >= 91 && number <= 96) ? { color: number } : {};
}

function runsOf(row: readonly (Cell | undefined)[]): Run[] {
  const runs: { column: number; columns: number; text: string; look: Look }[] = [];
  for (let column = 0; column < row.length; column++) {
    const cell = row[column];
    if (cell === undefined) continue;
    const last = runs.at(-1);
    const follows = last !== undefined && last.column + last.columns === column;
    if (follows && sameLook(last.look, cell.look)) {
      last.text += cell.text;
      last.columns += cell.columns;
    } else {
      runs.push({ column, columns: cell.columns, text: cell.text, look: cell.look });
    }
  }
  return runs;
}

function sameLook(a: Look, b: Look): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

import stringWidth from 'fast-string-width';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** How a character is shown. */
export interface Look {
  readonly bold: boolean;
  readonly dim: boolean;
  readonly underline: boolean;
  readonly inverse: boolean;
  /** An ANSI color from 31 to 36, or from 91 to 96; undefined for the default. */
  readonly color: number | undefined;
}

/** A column of a row. */
export interface Cell {
  /** The second half of a wide character is empty. */
  readonly text: string;
  readonly look: Look;
}

const PLAIN: Look = {
  bold: false,
  dim: false,
  underline: false,
  inverse: false,
  color: undefined,
};
const BLANK: Cell = { text: ' ', look: PLAIN };

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

/**
 * What a terminal shows after the bytes written to it: as much of a VT100 as ink and the screens
 * use. Anything else throws, so that a new sequence cannot pass unseen.
 */
export class ScreenBuffer {
  columns: number;
  rows: number;
  cursorShown = true;
  alternate = false;
  bracketedPaste = false;
  mouse = false;
  /** How many lines were pushed out at the top of the main screen. */
  scrolled = 0;
  /** How many lines were wider than the terminal, which breaks them, since the alternate screen began or ended. */
  broken = 0;
  x = 0;
  y = 0;
  private lines: Cell[][] = [];
  private look = PLAIN;
  private saved: { readonly lines: Cell[][]; readonly x: number; readonly y: number } | undefined;

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
  }

  /** The rows of the screen without colours and trailing blanks. */
  text(): readonly string[] {
    return Array.from({ length: this.rows }, (_, row) => {
      const cells = this.lines[row] ?? [];
      return cells
        .map(({ text }) => text)
        .join('')
        .trimEnd();
    });
  }

  /** The rows of the screen, without those at its end that were never written to. */
  cells(): readonly (readonly Cell[])[] {
    return Array.from(this.lines, (line) => line ?? []);
  }

  /** A terminal that got smaller breaks long lines (not in the alternate screen) and keeps the rows around its cursor. */
  resize(columns: number, rows: number): void {
    this.columns = columns;
    this.rows = rows;
    if (!this.alternate) this.reflow(columns);
    const lost = Math.max(0, this.y - rows + 1);
    this.lines = this.lines.slice(lost, lost + rows);
    this.y -= lost;
    this.x = Math.min(this.x, columns - 1);
  }

  private reflow(columns: number): void {
    const above = this.lines.slice(0, this.y).map((line) => rowsOf(line, columns));
    const below = this.lines.slice(this.y).map((line) => rowsOf(line, columns));
    this.y = above.flat().length;
    this.lines = [...above.flat(), ...below.flat()];
  }

  write(data: string): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what a terminal reads
    for (const token of data.matchAll(/\u001B\[([?\d;]*)([A-Za-z])|[^\u001B]+|\u001B/g)) {
      const [text, parameters, final] = token;
      if (final !== undefined) this.control(parameters ?? '', final);
      else if (text === '\u001B') throw new Error(`unknown sequence in ${JSON.stringify(data)}`);
      else for (const { segment } of graphemes.segment(text)) this.put(segment);
    }
  }

  private put(character: string): void {
    if (character === '\r') this.x = 0;
    else if (character === '\n' || character === '\r\n') this.lineFeed();
    else {
      // As svc and ink measure it: terminals differ in the width of rare characters.
      const width = stringWidth(character);
      if (this.x + width > this.columns) {
        this.broken += 1;
        this.lineFeed();
      }
      const line = this.line(this.y);
      const { look } = this;
      while (line.length < this.x) line.push(BLANK);
      line[this.x] = { text: character, look };
      if (width === 2) line[this.x + 1] = { text: '', look };
      this.x += width;
    }
  }

  private lineFeed(): void {
    this.x = 0;
    this.y += 1;
    if (this.y < this.rows) return;
    this.y = this.rows - 1;
    this.lines.shift();
    if (!this.alternate) this.scrolled += 1;
  }

  private line(row: number): Cell[] {
    let line = this.lines[row];
    if (line === undefined) {
      while (this.lines.length < row) this.lines.push([]);
      line = [];
      this.lines[row] = line;
    }
    return line;
  }

  private control(parameters: string, final: string): void {
    const count = Number(parameters === '' ? 1 : parameters);
    switch (final) {
      case 'A':
        this.y = Math.max(0, this.y - count);
        return;
      case 'B':
        this.y = Math.min(this.rows - 1, this.y + count);
        return;
      case 'G':
        this.x = count - 1;
        return;
      case 'H':
        [this.x, this.y] = [0, 0];
        return;
      case 'J':
        if (parameters !== '2') throw new Error(`the scrollback is not ours: CSI ${parameters}J`);
        this.lines = [];
        return;
      case 'K':
        this.lines[this.y] = [];
        return;
      case 'm':
        this.paint(parameters);
        return;
      case 'h':
      case 'l':
        this.mode(parameters, final === 'h');
        return;
      default:
        throw new Error(`unknown sequence CSI ${parameters}${final}`);
    }
  }

  private paint(parameters: string): void {
    for (const number of parameters.split(';').map(Number)) {
      const isColor = (number >= 31 && number <= 36) || (number >= 91 && number <= 96);
      const change = isColor ? { color: number } : CHANGES[number];
      this.look = number === 0 ? PLAIN : { ...this.look, ...change };
    }
  }

  private mode(name: string, on: boolean): void {
    if (name === '?25') this.cursorShown = on;
    else if (name === '?2004') this.bracketedPaste = on;
    else if (name === '?1000' || name === '?1006') this.mouse = on;
    else if (name === '?1049') this.switchBuffer(on);
    else if (name !== '?2026') throw new Error(`unknown mode ${name}`);
  }

  private switchBuffer(alternate: boolean): void {
    if (alternate === this.alternate) throw new Error('the screen is already switched');
    this.alternate = alternate;
    this.broken = 0;
    if (alternate) {
      this.saved = { lines: this.lines, x: this.x, y: this.y };
      this.lines = [];
    } else if (this.saved !== undefined) {
      this.lines = this.saved.lines;
      this.x = this.saved.x;
      this.y = this.saved.y;
    }
  }
}

function rowsOf(line: readonly Cell[], columns: number): Cell[][] {
  const rows: Cell[][] = [];
  for (let at = 0; at < line.length; at += columns) rows.push(line.slice(at, at + columns));
  return rows.length === 0 ? [[]] : rows;
}

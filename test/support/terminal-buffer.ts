import stringWidth from 'fast-string-width';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

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
  private lines: string[][] = [];
  private saved: { readonly lines: string[][]; readonly x: number; readonly y: number } | undefined;

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
  }

  /** The rows of the screen without colours and trailing blanks. */
  text(): readonly string[] {
    return Array.from({ length: this.rows }, (_, row) =>
      (this.lines[row] ?? []).join('').trimEnd(),
    );
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
      while (line.length < this.x) line.push(' ');
      line[this.x] = character;
      // The second half of a wide character is empty.
      if (width === 2) line[this.x + 1] = '';
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

  private line(row: number): string[] {
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
        return;
      case 'h':
      case 'l':
        this.mode(parameters, final === 'h');
        return;
      default:
        throw new Error(`unknown sequence CSI ${parameters}${final}`);
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

function rowsOf(line: readonly string[], columns: number): string[][] {
  const rows: string[][] = [];
  for (let at = 0; at < line.length; at += columns) rows.push(line.slice(at, at + columns));
  return rows.length === 0 ? [[]] : rows;
}

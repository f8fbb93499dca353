import { PassThrough, Writable } from 'node:stream';
import * as assert from 'uvu/assert';
import { ScreenBuffer } from './terminal-buffer.js';
import { waitFor } from './wait.js';

/** A terminal in memory: streams for a screen, and what a person would see and type. */
export interface FakeTerminal {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly buffer: ScreenBuffer;
  /** How many writes there were: a frame is one, or a few. */
  readonly writes: () => number;
  readonly rawMode: () => boolean;
  /** The rows of the screen, empty ones at the end left out. */
  readonly screen: () => readonly string[];
  readonly type: (keys: string) => void;
  readonly resize: (columns: number, rows: number) => void;
  /** Changes the size without a notice to the program, which follows some time later. */
  readonly resizeSilently: (columns: number, rows: number) => void;
}

/** Columns and rows that every screen has to fit: narrow, usual and wide, low and high. */
export const TERMINAL_SIZES = [
  [60, 12],
  [60, 24],
  [80, 12],
  [80, 24],
  [200, 12],
  [200, 24],
] as const;

/** Keys as terminals send them. */
export const KEYS = {
  up: '\u001B[A',
  down: '\u001B[B',
  right: '\u001B[C',
  left: '\u001B[D',
  home: '\u001B[H',
  end: '\u001B[F',
  pageUp: '\u001B[5~',
  pageDown: '\u001B[6~',
  escape: '\u001B',
  enter: '\r',
  tab: '\t',
  backspace: '\u007F',
  ctrlC: '\u0003',
  ctrlU: '\u0015',
  ctrlW: '\u0017',
  ctrlY: '\u0019',
  pasteBegins: '\u001B[200~',
  pasteEnds: '\u001B[201~',
} as const;

class TerminalOutput extends Writable {
  readonly isTTY = true;
  columns: number;
  rows: number;
  count = 0;
  private readonly buffer: ScreenBuffer;

  constructor(buffer: ScreenBuffer) {
    super({ decodeStrings: false });
    this.buffer = buffer;
    this.columns = buffer.columns;
    this.rows = buffer.rows;
  }

  getWindowSize(): [number, number] {
    return [this.buffer.columns, this.buffer.rows];
  }

  override _write(data: string, _encoding: string, done: (error?: Error) => void): void {
    this.count += 1;
    try {
      this.buffer.write(String(data));
      done();
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

class TerminalInput extends PassThrough {
  readonly isTTY = true;
  raw = false;

  setRawMode(raw: boolean): this {
    this.raw = raw;
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

/** Makes a terminal of a size. */
export function createTerminal(columns: number, rows: number): FakeTerminal {
  const buffer = new ScreenBuffer(columns, rows);
  const output = new TerminalOutput(buffer);
  const input = new TerminalInput();
  return {
    // Node's terminal streams are sockets with far more than a screen uses; this is the one place
    // where the fakes are taken for them.
    stdin: input as unknown as NodeJS.ReadStream,
    stdout: output as unknown as NodeJS.WriteStream,
    buffer,
    writes: () => output.count,
    rawMode: () => input.raw,
    screen: () => {
      const lines = [...buffer.text()];
      while (lines.at(-1) === '') lines.pop();
      return lines;
    },
    type: (keys) => {
      input.write(keys);
    },
    resizeSilently: (newColumns, newRows) => buffer.resize(newColumns, newRows),
    resize: (newColumns, newRows) => {
      if (buffer.columns !== newColumns || buffer.rows !== newRows) {
        buffer.resize(newColumns, newRows);
      }
      output.columns = newColumns;
      output.rows = newRows;
      output.emit('resize');
    },
  };
}

/**
 * Types keys, and lets their frame be drawn: ink draws at most every 10 ms. Keys without an effect draw none, so there is
 * nothing to wait for.
 */
export async function typeAndDraw(terminal: FakeTerminal, keys: string): Promise<void> {
  terminal.type(keys);
  await new Promise((resolve) => setTimeout(resolve, 40));
}

/** Waits until the screen shows a text. */
export function waitForText(terminal: FakeTerminal, text: string): Promise<unknown> {
  return waitFor(text, () => terminal.screen().join('\n').includes(text), terminal.screen);
}

/** Everything drawn so far fits: no line was wider than the terminal, and the last row is free. */
export function assertFits({ buffer, screen }: FakeTerminal): void {
  const lines = screen();
  assert.is(buffer.broken, 0, `wider than ${buffer.columns} columns:\n${lines.join('\n')}`);
  const used = `${lines.length} of ${buffer.rows} rows`;
  assert.ok(lines.length < Math.max(buffer.rows, 2), used);
}

/** A screen has left the terminal as it was, and what it shows is this line, if given. */
export function assertRestored(terminal: FakeTerminal, line?: string): void {
  assert.is(terminal.buffer.alternate, false);
  assert.is(terminal.buffer.cursorShown, true);
  assert.is(terminal.buffer.bracketedPaste, false);
  assert.is(terminal.buffer.mouse, false);
  assert.is(terminal.rawMode(), false);
  assert.is(terminal.stdout.listenerCount('resize'), 0);
  if (line !== undefined) assert.equal(terminal.screen(), [line]);
}

import { terminalColumns } from './size.js';

/** stdout for ink, which remembers the last frame. */
export interface FrameOutput {
  readonly stream: NodeJS.WriteStream;
  /** Writes past ink, unless frames are held. */
  readonly write: (data: string) => void;
  /** Writes the current frame again, at the place of the cursor, unless the terminal has become too low for it. */
  readonly redraw: () => void;
  /** Keeps frames back while something else writes to the terminal. */
  readonly hold: () => void;
  /** Ends `hold`, without writing anything. */
  readonly release: () => void;
}

const ESC = '\u001B';
const HIDE_CURSOR = `${ESC}[?25l`;
/** What ink writes to erase its last frame: from the cursor to the last row, then row by row up. */
const ERASES_FRAME = new RegExp(
  `^(?:${ESC}\\[\\?25l(?:${ESC}\\[\\d+B)?${ESC}\\[1?G)?(?:${ESC}\\[2K(?:${ESC}\\[1A)?)+${ESC}\\[G`,
  'u',
);
/** Shows or hides the cursor, or begins or ends an update that the terminal draws as a whole. */
const ONLY_MODE = new RegExp(`^${ESC}\\[\\?(?:25|2026)[hl]$`, 'u');

/**
 * Creates the output for ink. It has no height: if a frame is as tall as the terminal, ink clears the user's scrollback
 * too; the views limit their height themselves. It always has a width.
 */
export function createFrameOutput(stdout: NodeJS.WriteStream): FrameOutput {
  // What ink wrote of it, without the erasing of the frame before, and the cursor movements since.
  let lastFrame: readonly string[] = [];
  let isHeld = false;
  const write = (data: string, onWritten?: () => void): boolean => {
    const erases = ERASES_FRAME.exec(data)?.[0] ?? '';
    if (erases !== '' || data.includes('\n')) lastFrame = [data.slice(erases.length)];
    else if (data !== '' && !ONLY_MODE.test(data)) lastFrame = [...lastFrame, data];
    if (!isHeld) return stdout.write(data, onWritten);
    if (onWritten !== undefined) setImmediate(onWritten);
    return true;
  };
  const stream = new Proxy(stdout, {
    get: (target, property) => {
      if (property === 'write') return write;
      if (property === 'rows') return undefined;
      if (property === 'columns') return terminalColumns(target);
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const writePastInk = (data: string): void => {
    if (!isHeld) stdout.write(data);
  };
  return {
    stream,
    write: writePastInk,
    redraw: () => {
      const rows = lastFrame[0]?.split('\n').length ?? 0;
      if (rows <= (stdout.rows || rows)) writePastInk(HIDE_CURSOR + lastFrame.join(''));
    },
    hold: () => {
      isHeld = true;
    },
    release: () => {
      isHeld = false;
    },
  };
}

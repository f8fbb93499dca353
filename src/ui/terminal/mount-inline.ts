import type { ReactNode } from 'react';
import { textWidth } from '../fit.js';
import { type MountedScreen, mountScreen } from './mount.js';
import type { ScreenStreams } from './session.js';

/**
 * Mounts a view below the current output, as part of the scrollback. If the view fails, the work behind it continues.
 *
 * @param keepFrame whether the last frame is kept
 */
export function mountInline(
  view: ReactNode,
  { stdin, stdout }: ScreenStreams,
  options: { readonly keepFrame: boolean },
): Pick<MountedScreen, 'unmount'> {
  const modes = { on: '', off: '' };
  const streams = { stdin, stdout: erasingReflowed(stdout) };
  const screen = mountScreen(() => view, streams, { ...options, modes });
  screen.failed.catch(() => undefined);
  return screen;
}

const ESC = '\u001B';
/** What ink writes to erase its last frame, row by row from the last one up. */
const ERASES_FRAME = new RegExp(`^(?:${ESC}\\[2K(?:${ESC}\\[1A)?)+${ESC}\\[G`, 'u');

/**
 * A terminal that became narrower has wrapped lines, and so more rows to erase than ink knows of. The current width
 * counts, since the resize event comes late while work is running.
 */
function erasingReflowed(stdout: NodeJS.WriteStream): NodeJS.WriteStream {
  let shown: readonly string[] = [];
  const write = (data: string, onWritten?: () => void): boolean => {
    const erases = ERASES_FRAME.exec(data)?.[0] ?? '';
    const reflowed = erases === '' ? '' : eraseReflowed(shown, widthNow(stdout));
    const frame = data.slice(erases.length);
    if (erases !== '' || frame.includes('\n')) shown = frame.split('\n');
    return stdout.write(reflowed + data, onWritten);
  };
  return new Proxy(stdout, {
    get: (target, property) => {
      if (property === 'write') return write;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function widthNow(stdout: NodeJS.WriteStream): number {
  const [columns] = stdout.getWindowSize();
  return columns;
}

/** Erases the row of the cursor. */
const ERASE_ROW = '\u001B[2K';
const UP_AND_ERASE = `\u001B[1A${ERASE_ROW}`;

/**
 * What to write before ink erases its frame, since ink goes up only as many rows as it has lines.
 *
 * @param lines the current frame, and the empty line of the cursor
 */
function eraseReflowed(lines: readonly string[], columns: number): string {
  // A terminal without a size wraps nothing.
  if (columns === 0) return '';
  const rows = lines.map((line) => Math.max(1, Math.ceil(textWidth(line) / columns)));
  const extra = rows.reduce((sum, count) => sum + count - 1, 0);
  return extra === 0 ? '' : ERASE_ROW + UP_AND_ERASE.repeat(extra);
}

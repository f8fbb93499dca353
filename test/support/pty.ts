import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { ReadStream } from 'node:tty';
import { spawn } from '@lydell/node-pty';
import * as assert from 'uvu/assert';
import { ROOT } from './run-svc.js';
import { ScreenBuffer } from './terminal-buffer.js';
import { waitFor } from './wait.js';

/** The built program in a real pseudo-terminal, and what a person would see there. */
export interface PtySession {
  readonly screen: ScreenBuffer;
  readonly pid: number;
  /** All bytes that came, as text. */
  readonly output: () => string;
  readonly type: (keys: string) => void;
  /** Whether the program reads each key: not while it is stopped, or after it has restored the terminal. */
  readonly isRaw: () => boolean;
  readonly resize: (columns: number, rows: number) => void;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Closes the terminal, as a window that is closed does. */
  readonly close: () => void;
  readonly waitForText: (text: string) => Promise<unknown>;
  /** Resolves with the exit code when the program has ended; of a signal, as a shell counts it. */
  readonly ended: Promise<number>;
}

/** How the program is started. */
export interface PtyOptions {
  readonly home: string;
  /** 80 columns and 24 rows by default. */
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** The terminal reports a size of 0 by 0, as some do that were never given one. */
  readonly sizeless?: boolean;
  /** A shell runs it, and prints the modes of the terminal afterwards. */
  readonly shell?: boolean;
  /** A shell with job control runs it, and brings it back to the foreground after a line is typed. */
  readonly jobs?: boolean;
  /** A shell with job control runs it in the background. */
  readonly background?: boolean;
  /** The file that gets its stderr. */
  readonly errors?: string;
  /** The program asks a question on a line, where Node.js prints sequences that the screen buffer rejects: it is not used. */
  readonly lines?: boolean;
}

/** Sequences of colour, titles and the clipboard, which the screen buffer does not know. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this is what a terminal reads
const PAINT = /\u001B\[[\d;]*m|\u001B\][^\u0007]*\u0007/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: this is what a terminal reads
const UNFINISHED = /\u001B[^A-Za-z\u0007]*$/;

/** Runs `svc` in a terminal of a size. */
export function runInPty(args: readonly string[], options: PtyOptions): PtySession {
  const { CI: _, NO_COLOR: __, FORCE_COLOR: ___, ...env } = process.env;
  const { columns = 80, rows = 24 } = options;
  const program = [process.execPath, join(ROOT, 'bin/run.js'), ...args];
  const child = spawn('/bin/sh', ['-c', scriptOf(options), options.errors ?? 'sh', ...program], {
    name: 'xterm-256color',
    cols: columns,
    rows,
    cwd: options.home,
    env: { ...env, SVC_HOME: options.home, ...options.env },
  });
  const otherEnd = readToTheEnd(child);
  const screen = new ScreenBuffer(columns, rows);
  let output = '';
  let pending = '';
  child.onData((data) => {
    output += data;
    if (options.lines === true) return;
    // A sequence may be cut between two reads: what follows the last escape waits for the rest.
    pending += data;
    const cut = pending.length - (UNFINISHED.exec(pending)?.[0].length ?? 0);
    screen.write(pending.slice(0, cut).replaceAll(PAINT, ''));
    pending = pending.slice(cut);
  });
  const ended = new Promise<number>((resolve) => {
    child.onExit(({ exitCode, signal }) => resolve(signal ? 128 + signal : exitCode));
  });
  return {
    screen,
    pid: child.pid,
    output: () => output,
    type: (keys) => child.write(keys),
    isRaw: () => {
      const { stdout } = spawnSync('stty', ['-a'], { stdio: [otherEnd, 'pipe', 'inherit'] });
      return String(stdout).includes('-icanon');
    },
    resize: (newColumns, newRows) => {
      screen.resize(newColumns, newRows);
      try {
        child.resize(newColumns, newRows);
      } catch {
        // The program has ended a moment ago, which is not known here yet.
      }
    },
    kill: (signal) => child.kill(signal),
    close: () => {
      // Not in its types.
      if ('destroy' in child && typeof child.destroy === 'function') child.destroy();
    },
    waitForText: (text) =>
      waitFor(
        text,
        () => (options.lines === true ? output : screen.text().join('\n')).includes(text),
        () => (options.lines === true ? output : screen.text()),
      ),
    ended,
  };
}

/**
 * Without a program at the other end, what is left in a terminal is read in part: Node takes the hang-up for the end
 * after the first few kilobytes, and so what restores the terminal may be missing where this process is slow. So the
 * other end stays open here, until node-pty closes the terminal 200 ms after its program has ended.
 *
 * @returns the other end
 */
function readToTheEnd(child: object): number {
  // Neither is in its types.
  const socket: unknown = Reflect.get(child, '_socket');
  const path: unknown = Reflect.get(child, '_pty');
  if (!(socket instanceof ReadStream) || typeof path !== 'string') throw new Error('no terminal');
  const otherEnd = openSync(path, constants.O_RDWR | constants.O_NOCTTY);
  const destroy = socket.destroy.bind(socket);
  socket.once('close', () => closeSync(otherEnd));
  socket.destroy = (error) => {
    // Between a timer and this, the event loop reads what is there.
    setImmediate(() => destroy(error));
    return socket;
  };
  return otherEnd;
}

/**
 * How a shell starts the program. With `noflsh`, Ctrl-C that arrives after the program has left raw mode does not throw
 * away what restores the terminal, which this process may not have read yet.
 */
function scriptOf({ sizeless, shell, jobs, background, errors }: PtyOptions): string {
  if (sizeless === true) return 'stty cols 0 rows 0 noflsh && exec "$@"';
  if (jobs === true) return 'stty noflsh; set -m; "$@"; read line; fg';
  if (background === true) return 'stty noflsh; set -m; "$@" & wait "$!"';
  if (shell === true) return 'stty noflsh; "$@"; stty -a';
  return errors === undefined ? 'stty noflsh; exec "$@"' : 'stty noflsh; exec "$@" 2>"$0"';
}

/** The terminal is as it was before the program, and nothing failed. */
export function assertTerminalRestored({ screen, output }: PtySession, program = 'svc'): void {
  assert.is(screen.alternate, false, `${program}: the alternate screen`);
  assert.is(screen.cursorShown, true, `${program}: the cursor`);
  assert.is(screen.bracketedPaste, false, `${program}: pastes`);
  assert.is(screen.mouse, false, `${program}: the mouse`);
  assert.not.match(output(), /\n *at .+:\d+:\d+|BUG/u, `${program}: a stack trace`);
}

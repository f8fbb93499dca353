import { writeSync } from 'node:fs';
import { sleepAtMost } from '../../engine/support/async.js';
import { SHOW_CURSOR } from '../style.js';
import type { FrameOutput } from './frame-output.js';
import type { InputReader } from './input.js';

/** The terminal of a screen. */
export interface ScreenStreams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  /** Whether full screens react to clicks and the wheel; true if omitted. */
  readonly mouse?: boolean;
}

/** Sequences that switch a terminal to what a screen needs, and back. */
export interface TerminalModes {
  readonly on: string;
  readonly off: string;
}

/** A terminal that belongs to a screen. */
export interface TerminalSession {
  /** Shows the first frame, which was held until then. */
  readonly begin: () => void;
  /** Waits until a slow terminal has received what is queued, which would otherwise follow what restores it. */
  readonly drain: () => Promise<void>;
  /** Restores the terminal; only the first call does. Nothing of the screen is written afterwards. */
  readonly leave: () => void;
  /**
   * Lends the terminal to the work until it is done, then draws the screen again. Does nothing while the terminal is
   * lent, such as for a key that was pressed twice.
   */
  readonly lend: (work: () => Promise<void>) => Promise<void>;
  /** Stops the process as the shell does for Ctrl-Z, and continues with the screen. */
  readonly suspend: () => void;
}

/** The terminal marks a paste, so that it is not mistaken for keys. */
const PASTE_MARKS_ON = '\u001B[?2004h';
const PASTE_MARKS_OFF = '\u001B[?2004l';
/** Without a shell, the process is not stopped: the screen returns after this time. */
const NOT_STOPPED_MS = 250;

/**
 * Takes the terminal for a screen: raw mode, its modes, its input. The terminal is restored when the screen leaves,
 * or something ends the process that ink does not notice. A lost terminal is a hang-up: it ends the process as SIGHUP does.
 */
export function takeTerminal(
  { stdin, stdout }: ScreenStreams,
  modes: TerminalModes,
  frames: FrameOutput,
  input: InputReader,
): TerminalSession {
  let state: 'left' | 'lent' | 'ours' = 'lent';
  let isLending = false;
  const enter = (): void => {
    stdin.setRawMode(true);
    stdout.write(modes.on + PASTE_MARKS_ON);
    frames.release();
    input.start();
    // While the terminal is lent, the process stops at once, together with the program that has it.
    process.on('SIGTSTP', suspend);
  };
  const release = (): void => {
    process.off('SIGTSTP', suspend);
    input.stop();
    frames.hold();
    writeNow(stdout, PASTE_MARKS_OFF + SHOW_CURSOR + modes.off);
    stdin.setRawMode(false);
  };
  const redraw = (): void => {
    frames.redraw();
    // The system signals a new size only to programs in the foreground. This makes Node.js read it.
    process.emit('SIGWINCH');
  };
  const resume = (): void => {
    if (state !== 'lent') return;
    state = 'ours';
    enter();
    redraw();
  };
  const drain = async (): Promise<void> => {
    if (stdout.writableLength === 0) return;
    frames.hold();
    const written = new AbortController();
    stdout.write('', () => written.abort());
    await sleepAtMost(MOST_WAIT_MS, written.signal);
  };
  const leave = (): void => {
    if (state === 'left') return;
    const wasOurs = state === 'ours';
    state = 'left';
    process.off('SIGCONT', onContinue).off('uncaughtExceptionMonitor', onUncaught);
    process.off('exit', leave);
    stdin.off('end', onLost).off('error', onLost);
    stdout.off('error', onLost);
    if (wasOurs) release();
    else stdin.setRawMode(false);
  };
  const onContinue = (): void => {
    // The shell has changed the terminal's modes if the process was stopped from outside.
    if (state !== 'ours') return;
    release();
    enter();
    redraw();
  };
  const suspend = (): void => {
    if (state !== 'ours' || process.platform === 'win32') return;
    state = 'lent';
    release();
    const timer = setTimeout(onStopped, NOT_STOPPED_MS);
    function onStopped(): void {
      clearTimeout(timer);
      process.off('SIGCONT', onStopped);
      resume();
    }
    process.on('SIGCONT', onStopped);
    process.kill(0, 'SIGTSTP');
  };
  const onUncaught = (): void => {
    // Node.js prints the error next and exits, unless someone handles it.
    if (process.listenerCount('uncaughtException') === 0) leave();
  };
  let isLost = false;
  const onLost = (): void => {
    if (isLost) return;
    isLost = true;
    process.kill(process.pid, 'SIGHUP');
  };
  process.on('SIGCONT', onContinue).on('uncaughtExceptionMonitor', onUncaught);
  // Ink cannot remove a view that ends the process while it is drawn.
  process.on('exit', leave);
  // An error of the terminal means that it is lost; oclif would throw it.
  for (const stream of [stdin, stdout]) stream.removeAllListeners('error').on('error', ignoreError);
  stdin.on('end', onLost).on('error', onLost);
  stdout.on('error', onLost);
  // Keys typed before the first frame would be echoed into it.
  stdin.setRawMode(true);
  // Ink restores the terminal after a signal, but only once it has a view: until then, nothing that needs restoring is written.
  frames.hold();
  return {
    begin: resume,
    drain,
    leave,
    lend: async (work) => {
      if (isLending) return;
      isLending = true;
      try {
        input.stop();
        await drain();
        if (state === 'ours') {
          state = 'lent';
          release();
        }
        await work();
      } finally {
        isLending = false;
        resume();
      }
    },
    suspend,
  };
}

/** Writing to a lost terminal fails, sometimes long after the screen has left. */
const ignoreError = (): void => undefined;

/** The longest wait for a terminal that nobody reads from; the screen ends anyway. */
const MOST_WAIT_MS = 1000;
const RETRY_MS = 5;

/** Writes synchronously, since the process may be about to end. A lost terminal needs nothing. */
function writeNow(stdout: NodeJS.WriteStream, text: string): void {
  const fd = 'fd' in stdout ? stdout.fd : undefined;
  // A terminal in memory.
  if (typeof fd !== 'number') {
    stdout.write(text);
    return;
  }
  const isBehind = stdout.writableLength > 0;
  let left = Buffer.from(text);
  for (let waitedMs = 0; left.length > 0 && waitedMs < MOST_WAIT_MS; ) {
    try {
      left = left.subarray(writeSync(fd, left));
    } catch (error) {
      // Another program may have made the terminal non-blocking.
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) return;
      waitedMs += RETRY_MS;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
  // If the process lives on, a slow terminal gets the rest later, or all of it again after what was queued before.
  const later = isBehind ? text : left;
  if (later.length > 0) stdout.write(later);
}

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
  /** Restores the terminal; only the first call does. Nothing of the screen is written afterwards. */
  readonly leave: () => void;
  /** Lends the terminal to someone else until the work is done, then draws the screen again. */
  readonly suspended: <T>(work: () => Promise<T>) => Promise<T>;
  /** Stops the process as the shell does for Ctrl-Z, and continues with the screen. */
  readonly stop: () => void;
}

const SHOW_CURSOR = '\u001B[?25h';
/** A paste is marked, so that it is not taken for keys. */
const PASTE_MARKS_ON = '\u001B[?2004h';
const PASTE_MARKS_OFF = '\u001B[?2004l';
/** A process without a shell cannot be stopped: the screen returns after this time. */
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
  const enter = (): void => {
    stdin.setRawMode(true);
    stdout.write(modes.on + PASTE_MARKS_ON);
    frames.release();
    input.start();
  };
  const release = (): void => {
    input.stop();
    frames.hold();
    stdout.write(PASTE_MARKS_OFF + SHOW_CURSOR + modes.off);
    stdin.setRawMode(false);
  };
  const resume = (): void => {
    if (state !== 'lent') return;
    state = 'ours';
    enter();
    frames.redraw();
  };
  const leave = (): void => {
    if (state === 'left') return;
    process.off('SIGCONT', onContinue).off('uncaughtExceptionMonitor', onUncaught);
    stdin.off('end', onLost).off('error', onLost);
    if (state === 'ours') release();
    else stdin.setRawMode(false);
    state = 'left';
    // Errors of the last writes arrive later.
    setImmediate(() => stdout.off('error', onLost));
  };
  const onContinue = (): void => {
    // The shell has changed the terminal's modes if the process was stopped from outside.
    if (state !== 'ours') return;
    release();
    enter();
    frames.redraw();
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
  stdin.on('end', onLost).on('error', onLost);
  stdout.on('error', onLost);
  // Keys typed before the first frame would be echoed into it.
  stdin.setRawMode(true);
  // Ink restores the terminal after a signal, but only once it has a view: until then, nothing may need it.
  frames.hold();
  return {
    begin: resume,
    leave,
    suspended: async (work) => {
      if (state !== 'ours') return work();
      state = 'lent';
      release();
      try {
        return await work();
      } finally {
        resume();
      }
    },
    stop: () => {
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
    },
  };
}

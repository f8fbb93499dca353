import { render } from 'ink';
import { type ReactNode, useEffect } from 'react';
import { ScreenContext } from '../components/rows.js';
import type { Style } from '../style.js';
import { createFrameOutput, type FrameOutput } from './frame-output.js';
import { createInputReader, InputContext } from './input.js';
import {
  type ScreenStreams,
  type TerminalModes,
  type TerminalSession,
  takeTerminal,
} from './session.js';
import { terminalColumns } from './size.js';

/** What every screen gets: the terminal, and its look. */
export interface ScreenOptions extends ScreenStreams {
  readonly style: Style;
}

/** What a screen gets that runs on its own. */
export interface RunScreenOptions extends ScreenOptions {
  /** Closes the screen as if the user had quit. */
  readonly signal: AbortSignal;
}

/** A mounted screen. */
export interface MountedScreen extends Pick<TerminalSession, 'lend'> {
  /** Rejects if the view fails, after restoring the terminal. */
  readonly failed: Promise<never>;
  /** Removes the screen, restores the terminal and releases stdin. */
  readonly unmount: () => Promise<void>;
}

const ENTER = '\u001B[?1049h\u001B[H';
const LEAVE = '\u001B[?1049l';
/** Clicks and the wheel, in the form that has no limit of columns. */
const MOUSE_ON = '\u001B[?1000h\u001B[?1006h';
const MOUSE_OFF = '\u001B[?1006l\u001B[?1000l';
const WIPE = '\u001B[2J\u001B[H';

const MODES: TerminalModes = { on: ENTER, off: LEAVE };
const MODES_WITH_MOUSE: TerminalModes = { on: ENTER + MOUSE_ON, off: MOUSE_OFF + LEAVE };

/** A key right after a frame must not wait long for its own; stores pace what changes often. */
const MAX_FPS = 100;

/**
 * Mounts a view on the alternate screen, the terminal's second buffer, which does not touch the scrollback. Ctrl-C is an
 * ordinary key: in raw mode it sends no signal. Ctrl-Z suspends every screen. The terminal is restored as soon as ink
 * removes the view, also if the process ends without `unmount`.
 */
export function mountScreen(view: ReactNode, options: ScreenOptions): MountedScreen {
  const { stdin, stdout, mouse, style } = options;
  const frames = createFrameOutput(stdout);
  const input = createInputReader(stdin, () => session.suspend());
  const modes = mouse === false ? MODES : MODES_WITH_MOUSE;
  const session = takeTerminal(options, modes, frames, input);
  const root = (
    <InputContext value={input}>
      <ScreenContext value={{ stdout, style }}>{view}</ScreenContext>
      <WipeOnResize stdout={stdout} frames={frames} />
      <CallOnUnmount call={session.leave} />
    </InputContext>
  );
  const instance = render(root, {
    stdin,
    stdout: frames.stream,
    exitOnCtrlC: false,
    patchConsole: false,
    maxFps: MAX_FPS,
  });
  session.begin();
  const exited = instance.waitUntilExit();
  const failed = exited.then(() => new Promise<never>(() => undefined));
  const unmount = async (): Promise<void> => {
    await session.drain();
    instance.unmount();
    await exited.catch(() => undefined);
    // A view that failed immediately was never mounted, so nothing was called on its unmount.
    session.leave();
    // Node.js stops reading one tick later: a screen that started before would get no input.
    await new Promise((resolve) => setImmediate(resolve));
  };
  let unmounting: Promise<void> | undefined;
  return {
    failed,
    lend: session.lend,
    unmount: () => {
      unmounting ??= unmount();
      return unmounting;
    },
  };
}

function CallOnUnmount({ call }: { readonly call: () => void }): null {
  useEffect(() => call, [call]);
  return null;
}

/** Wipes the screen after a resize, since terminals disagree about where the old lines are. */
function WipeOnResize({
  stdout,
  frames,
}: {
  readonly stdout: NodeJS.WriteStream;
  readonly frames: FrameOutput;
}): null {
  useEffect(() => {
    let columns = terminalColumns(stdout);
    const onResize = (): void => {
      const before = columns;
      columns = terminalColumns(stdout);
      frames.write(WIPE);
      // Ink draws only a frame that differs, except in a narrower terminal.
      if (columns >= before) frames.redraw();
    };
    // Before ink draws.
    stdout.prependListener('resize', onResize);
    return () => {
      stdout.off('resize', onResize);
    };
  }, [stdout, frames]);
  return null;
}

/** How a screen that runs on its own begins and ends. */
interface ScreenLifecycle<T> {
  /** Starts the work of the screen, after its first frame. */
  readonly begin: (screen: MountedScreen) => void;
  /** Settled by the keys of the screen, its work or its signal. */
  readonly ended: Promise<T>;
  /** Ends the screen as if the user had quit. */
  readonly leave: () => void;
}

/**
 * Shows a view on the alternate screen until it has ended, or the signal closes it. The terminal is restored however
 * it ends.
 */
export async function runScreen<T>(
  view: ReactNode,
  options: RunScreenOptions,
  { begin, ended, leave }: ScreenLifecycle<T>,
): Promise<T> {
  const { signal } = options;
  const screen = mountScreen(view, options);
  signal.addEventListener('abort', leave);
  try {
    if (signal.aborted) leave();
    else begin(screen);
    return await Promise.race([ended, screen.failed]);
  } finally {
    signal.removeEventListener('abort', leave);
    await screen.unmount();
  }
}

import { type ReactNode, useEffect } from 'react';
import type { FrameOutput } from './frame-output.js';
import { type MountedScreen, mountScreen } from './mount.js';
import type { ScreenStreams, TerminalModes } from './session.js';
import { terminalColumns } from './size.js';

const ENTER = '\u001B[?1049h\u001B[H';
const LEAVE = '\u001B[?1049l';
/** Clicks and the wheel, in the form that has no limit of columns. */
const MOUSE_ON = '\u001B[?1000h\u001B[?1006h';
const MOUSE_OFF = '\u001B[?1006l\u001B[?1000l';
const WIPE = '\u001B[2J\u001B[H';

const SCREEN: TerminalModes = { on: ENTER, off: LEAVE };
const SCREEN_AND_MOUSE: TerminalModes = { on: ENTER + MOUSE_ON, off: MOUSE_OFF + LEAVE };

/** Mounts a view on the alternate screen, the terminal's second buffer, which does not touch the scrollback. */
export function mountAlternate(view: ReactNode, streams: ScreenStreams): MountedScreen {
  return mountScreen(
    (frames) => (
      <>
        {view}
        <WipedAtResize stdout={streams.stdout} frames={frames} />
      </>
    ),
    streams,
    streams.mouse === false ? SCREEN : SCREEN_AND_MOUSE,
  );
}

/** Wipes the screen after a resize, since terminals disagree about where the old lines are. */
function WipedAtResize({
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

/** How a screen that runs on its own starts and ends. */
interface ScreenRun<T> {
  /** Starts the work of the screen, after its first frame. */
  readonly begin?: (screen: MountedScreen) => void;
  readonly ended: Promise<T>;
  /** Ends the screen as if the user had quit. */
  readonly leave: () => void;
}

/**
 * Shows a view on the alternate screen until it has ended, or the signal closes it. The terminal is restored however
 * it ends.
 */
export async function runAlternate<T>(
  view: ReactNode,
  options: ScreenStreams & { readonly signal?: AbortSignal },
  { begin, ended, leave }: ScreenRun<T>,
): Promise<T> {
  const { signal } = options;
  const screen = mountAlternate(view, options);
  signal?.addEventListener('abort', leave);
  try {
    if (signal?.aborted === true) leave();
    else begin?.(screen);
    return await Promise.race([ended, screen.failed]);
  } finally {
    signal?.removeEventListener('abort', leave);
    await screen.unmount();
  }
}

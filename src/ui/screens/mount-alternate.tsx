import { type ReactNode, useEffect } from 'react';
import { type MountedScreen, mountScreen, type ScreenStreams } from './mount.js';

/**
 * Mounts a view on the alternate screen. The terminal is restored as soon as ink removes the view, also if the process
 * ends without `unmount`.
 */
export function mountAlternate(view: ReactNode, streams: ScreenStreams): MountedScreen {
  const alternate = enterAlternateScreen(streams.stdout);
  const screen = mountScreen(
    <>
      {view}
      <AtUnmount call={alternate.leave} />
    </>,
    streams,
    { keepFrame: true },
  );
  return {
    failed: screen.failed,
    unmount: async () => {
      await screen.unmount();
      // A view that failed immediately was never mounted.
      alternate.leave();
    },
  };
}

/** How a screen that runs on its own starts and ends. */
interface ScreenRun<T> {
  /** Starts the work of the screen, after its first frame. */
  readonly begin?: () => void;
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
    else begin?.();
    return await Promise.race([ended, screen.failed]);
  } finally {
    signal?.removeEventListener('abort', leave);
    await screen.unmount();
  }
}

function AtUnmount({ call }: { readonly call: () => void }): null {
  useEffect(() => call, [call]);
  return null;
}

const ENTER = '\u001B[?1049h\u001B[H';
const LEAVE = '\u001B[?1049l';
const BRACKETED_PASTE_ON = '\u001B[?2004h';
const BRACKETED_PASTE_OFF = '\u001B[?2004l';
const WIPE = '\u001B[2J\u001B[H';

/** The terminal's second buffer, which does not touch the scrollback. */
interface AlternateScreen {
  /** Restores the first buffer; may be called again. */
  readonly leave: () => void;
}

/**
 * Enters the alternate screen, with bracketed paste. It is wiped after a resize, since terminals disagree about where
 * the old lines are.
 */
function enterAlternateScreen(stdout: NodeJS.WriteStream): AlternateScreen {
  const wipe = (): void => {
    stdout.write(WIPE);
  };
  stdout.write(ENTER + BRACKETED_PASTE_ON);
  stdout.prependListener('resize', wipe);
  let entered = true;
  return {
    leave: () => {
      if (!entered) return;
      entered = false;
      stdout.off('resize', wipe);
      stdout.write(BRACKETED_PASTE_OFF + LEAVE);
    },
  };
}

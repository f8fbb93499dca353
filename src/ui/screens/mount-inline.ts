import type { ReactNode } from 'react';
import { type MountedScreen, mountScreen, type ScreenStreams } from './mount.js';
import { eraseReflowed } from './reflow.js';

/** Hears which lines are on the screen now. */
export type OnFrame = (lines: readonly string[]) => void;

/**
 * Puts a view below what the terminal shows already, where people scroll back to. When the terminal
 * gets narrower the lines that it broke go before they are drawn anew. A view that fails takes only
 * itself down: the work behind it goes on.
 *
 * @param view makes the view, which must tell its lines
 * @param keepFrame whether the last frame stays
 */
export function mountInline(
  view: (onFrame: OnFrame) => ReactNode,
  streams: ScreenStreams,
  { keepFrame }: { readonly keepFrame: boolean },
): Pick<MountedScreen, 'unmount'> {
  const { stdout } = streams;
  let shown: readonly string[] = [];
  const onResize = (): void => {
    stdout.write(eraseReflowed(shown, stdout.columns));
  };
  // Before ink's own listener, which clears the frame.
  stdout.prependListener('resize', onResize);
  const onFrame: OnFrame = (lines) => {
    shown = lines;
  };
  const screen = mountScreen(view(onFrame), streams, { keepFrame });
  screen.failed.catch(() => undefined);
  return {
    unmount: async () => {
      stdout.off('resize', onResize);
      await screen.unmount();
    },
  };
}

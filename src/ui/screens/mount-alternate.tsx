import { type ReactNode, useEffect } from 'react';
import { enterAlternateScreen } from './alternate-screen.js';
import { type MountedScreen, mountScreen, type ScreenStreams } from './mount.js';

/**
 * Puts a view on the alternate screen; nothing of it stays. The terminal is given back as soon as
 * ink takes the view off, which it also does when the process ends without `unmount`.
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
      // A view that failed at once was never on.
      alternate.leave();
    },
  };
}

function AtUnmount({ call }: { readonly call: () => void }): null {
  useEffect(() => call, [call]);
  return null;
}

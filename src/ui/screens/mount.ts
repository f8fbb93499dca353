import { type Instance, render } from 'ink';
import type { ReactNode } from 'react';

/** The terminal that a screen takes over. */
export interface ScreenStreams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
}

/** A screen on the terminal. */
export interface MountedScreen {
  /** Rejects when the view itself failed; the terminal is restored by then. */
  readonly failed: Promise<never>;
  /** Takes the screen off, gives the terminal back as it was and lets go of stdin; once. */
  readonly unmount: () => Promise<void>;
}

/** Calm enough to read and quick enough for typing. */
const MAX_FPS = 30;

/**
 * Puts a view on the terminal with the settings all screens share. Ctrl-C is a key like others
 * here: raw mode keeps the terminal from making it a signal.
 *
 * @param keepFrame false erases the last frame; the alternate screen takes it away by itself
 */
export function mountScreen(
  view: ReactNode,
  { stdin, stdout }: ScreenStreams,
  { keepFrame }: { readonly keepFrame: boolean },
): MountedScreen {
  // Ink does so after its first frame: keys typed before would be echoed into it.
  stdin.setRawMode(true);
  const instance = render(view, {
    stdin,
    stdout: withoutHeight(stdout),
    exitOnCtrlC: false,
    patchConsole: false,
    maxFps: MAX_FPS,
  });
  const exited = instance.waitUntilExit();
  const failed = exited.then(() => new Promise<never>(() => undefined));
  let crashed = false;
  exited.catch(() => {
    crashed = true;
  });
  let unmounting: Promise<void> | undefined;
  return {
    failed,
    unmount: () => {
      unmounting ??= unmount(instance, exited, { stdin, stdout }, !keepFrame && !crashed);
      return unmounting;
    },
  };
}

const UP = '\u001B[1A';

async function unmount(
  instance: Instance,
  exited: Promise<unknown>,
  { stdin, stdout }: ScreenStreams,
  erase: boolean,
): Promise<void> {
  // An empty frame in place of the last one: ink's clear() would be undone by a frame that its
  // throttle still holds back. The empty frame leaves its line break behind.
  if (erase) instance.rerender(null);
  instance.unmount();
  await exited.catch(() => undefined);
  if (erase) stdout.write(UP);
  // A view that failed at once has not let go of it.
  stdin.setRawMode(false);
  // Otherwise the first keys for an editor started afterwards would still be read here.
  stdin.pause();
  // Node.js stops reading a tick after that: a screen that begins to read before would hear nothing.
  await new Promise((resolve) => setImmediate(resolve));
}

/**
 * A stream that does not tell its height. Where a frame is as tall as the terminal, ink clears the
 * terminal together with its scrollback, which is the person's; the views keep to the height
 * themselves.
 */
function withoutHeight(stdout: NodeJS.WriteStream): NodeJS.WriteStream {
  return new Proxy(stdout, {
    get: (target, property) => {
      if (property === 'rows') return undefined;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

import { type Instance, render } from 'ink';
import { type ReactNode, useSyncExternalStore } from 'react';
import { createKeyFilter } from './keys.js';

/** The terminal of a screen. */
export interface ScreenStreams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
}

/** A mounted screen. */
export interface MountedScreen {
  /** Rejects if the view fails, after restoring the terminal. */
  readonly failed: Promise<never>;
  /** Removes the screen, restores the terminal and releases stdin. */
  readonly unmount: () => Promise<void>;
}

const MAX_FPS = 30;

/**
 * Mounts a view with the settings that all screens share. Ctrl-C is an ordinary key: in raw mode it sends no signal.
 *
 * @param keepFrame false erases the last frame; the alternate screen does so automatically
 */
export function mountScreen(
  view: ReactNode,
  { stdin, stdout }: ScreenStreams,
  { keepFrame }: { readonly keepFrame: boolean },
): MountedScreen {
  // Ink does this only after its first frame: keys typed before would be echoed into it.
  stdin.setRawMode(true);
  const instance = render(view, {
    stdin: withKeysOnly(stdin),
    stdout: withWidthOnly(stdout),
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
  // An empty frame replaces the last one: a frame that ink's throttle still holds back would undo clear().
  // The empty frame leaves its line break.
  if (erase) instance.rerender(null);
  instance.unmount();
  await exited.catch(() => undefined);
  if (erase) stdout.write(UP);
  // A view that failed immediately has not released it.
  stdin.setRawMode(false);
  // Otherwise the first keys for an editor started afterwards would still be read here.
  stdin.pause();
  // Ink unrefs stdin: the process would exit during a question that is asked afterwards.
  stdin.ref();
  // Node.js stops reading one tick later: a screen that starts reading before would get nothing.
  await new Promise((resolve) => setImmediate(resolve));
}

/** stdin without sequences that ink cannot handle. */
function withKeysOnly(stdin: NodeJS.ReadStream): NodeJS.ReadStream {
  const filter = createKeyFilter();
  const read = (): unknown => {
    const chunk: unknown = stdin.read();
    return typeof chunk === 'string' ? filter(chunk) : chunk;
  };
  return new Proxy(stdin, {
    get: (target, property) => {
      if (property === 'read') return read;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/**
 * stdout without a height, and always with a width. If a frame is as tall as the terminal, ink clears the user's
 * scrollback too; the views limit their height themselves.
 */
function withWidthOnly(stdout: NodeJS.WriteStream): NodeJS.WriteStream {
  return new Proxy(stdout, {
    get: (target, property) => {
      if (property === 'rows') return undefined;
      if (property === 'columns') return target.columns || FALLBACK_SIZE.columns;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** The steps of stopping. */
interface StopSteps {
  /** Shows that the work is stopping. */
  readonly show: () => void;
  /** Removes the screen and restores the terminal. */
  readonly close: () => Promise<void>;
  /** Called every time, counted from 1; from the second time on the terminal is restored. */
  readonly onInterrupt: (times: number) => void;
}

/** Handles the keys that stop work: in order the first time, immediately the second time. */
export function stopHandler({ show, close, onInterrupt }: StopSteps): () => void {
  let pressed = 0;
  return () => {
    pressed += 1;
    const times = pressed;
    show();
    if (times === 1) onInterrupt(times);
    else void close().then(() => onInterrupt(times));
  };
}

/** The size of a terminal in cells. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** The assumed size of a terminal that reports none. */
const FALLBACK_SIZE: TerminalSize = { columns: 80, rows: 24 };

/** The current size of the terminal. */
export function useTerminalSize(stdout: NodeJS.WriteStream): TerminalSize {
  const subscribe = (listener: () => void): (() => void) => {
    stdout.on('resize', listener);
    return () => stdout.off('resize', listener);
  };
  const columns = useSyncExternalStore(subscribe, () => stdout.columns || FALLBACK_SIZE.columns);
  const rows = useSyncExternalStore(subscribe, () => stdout.rows || FALLBACK_SIZE.rows);
  return { columns, rows };
}

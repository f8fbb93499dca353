import { type Instance, render } from 'ink';
import { type ReactNode, useEffect } from 'react';
import { createFrameOutput, type FrameOutput } from './frame-output.js';
import { createInputReader, Input } from './input.js';
import {
  type ScreenStreams,
  type TerminalModes,
  type TerminalSession,
  takeTerminal,
} from './session.js';

/** A mounted screen. */
export interface MountedScreen extends Pick<TerminalSession, 'suspended'> {
  /** Rejects if the view fails, after restoring the terminal. */
  readonly failed: Promise<never>;
  /** Removes the screen, restores the terminal and releases stdin. */
  readonly unmount: () => Promise<void>;
}

/** A key that comes right after a frame waits as long for its own; what changes often is paced by its store. */
const MAX_FPS = 100;

/**
 * Mounts a view with the settings that all screens share. Ctrl-C is an ordinary key: in raw mode it sends no signal.
 * Ctrl-Z suspends every screen. The terminal is restored as soon as ink removes the view, also if the process ends
 * without `unmount`.
 */
export function mountScreen(
  view: (frames: FrameOutput) => ReactNode,
  streams: ScreenStreams,
  modes: TerminalModes,
): MountedScreen {
  const { stdin, stdout } = streams;
  const frames = createFrameOutput(stdout);
  const input = createInputReader(stdin, () => session.stop());
  const session = takeTerminal(streams, modes, frames, input);
  const whole = (
    <Input value={input}>
      {view(frames)}
      <AtUnmount call={session.leave} />
    </Input>
  );
  const instance = render(whole, {
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
    await session.drained();
    await ended(instance, exited);
    // A view that failed immediately was never mounted.
    session.leave();
    // Node.js stops reading one tick later: a screen that starts reading before would get nothing.
    await new Promise((resolve) => setImmediate(resolve));
  };
  let unmounting: Promise<void> | undefined;
  return {
    failed,
    suspended: session.suspended,
    unmount: () => {
      unmounting ??= unmount();
      return unmounting;
    },
  };
}

async function ended(instance: Instance, exited: Promise<unknown>): Promise<void> {
  instance.unmount();
  await exited.catch(() => undefined);
}

function AtUnmount({ call }: { readonly call: () => void }): null {
  useEffect(() => call, [call]);
  return null;
}

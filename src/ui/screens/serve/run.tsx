import type { ServeState } from '../../../engine/serve/index.js';
import type { Style } from '../../style.js';
import type { ScreenStreams } from '../mount.js';
import { mountAlternate } from '../mount-alternate.js';
import { createStore } from '../store.js';
import { reduceServeScreen, startServeScreen } from './state.js';
import { ServeScreen } from './view.js';

/** What the screen needs of the command that opens it. */
export interface ServeScreenOptions extends ScreenStreams {
  readonly style: Style;
  readonly homeDir: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly onReload: () => void;
  readonly onStop: (key: 'ctrl-c' | 'q') => void;
}

/** The screen while it is on the terminal. */
export interface OpenServeScreen {
  readonly changed: (serve: ServeState) => void;
  /** The process was told to stop; the keys mean something else from here on. */
  readonly stopping: () => void;
  /** Rejects when the view itself failed. */
  readonly failed: Promise<never>;
  /** Takes it off and gives the terminal back; once is enough. */
  readonly close: () => Promise<void>;
}

/** Often enough for a count of seconds. */
const TICK_MS = 1000;
/** Services that start together are drawn together. */
const PACE_MS = 50;

/** Puts the screen of all services on the terminal. */
export function openServeScreen(options: ServeScreenOptions): OpenServeScreen {
  const { style, homeDir, stdout, now } = options;
  const pace = { everyMs: PACE_MS, now: () => performance.now() };
  const store = createStore(startServeScreen(now()), reduceServeScreen, pace);
  const screen = mountAlternate(
    <ServeScreen
      store={store}
      stdout={stdout}
      style={style}
      homeDir={homeDir}
      onReload={options.onReload}
      onStop={options.onStop}
    />,
    options,
  );
  const ticks = setInterval(() => store.dispatch({ type: 'ticked', nowMs: now() }), TICK_MS);
  return {
    changed: (serve) => store.dispatch({ type: 'changed', serve, nowMs: now() }),
    stopping: () => store.dispatch({ type: 'stopping' }),
    failed: screen.failed,
    close: async () => {
      clearInterval(ticks);
      await screen.unmount();
    },
  };
}

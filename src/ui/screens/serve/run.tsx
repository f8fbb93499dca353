import { type ReactElement, useSyncExternalStore } from 'react';
import type { ServeState } from '../../../engine/serve/index.js';
import type { Style } from '../../style.js';
import { mountAlternate } from '../../terminal/mount-alternate.js';
import type { ScreenStreams } from '../../terminal/session.js';
import { useTerminalSize } from '../../terminal/size.js';
import { useKeys } from '../keys.js';
import { Lines } from '../lines.js';
import { createStore, type Store } from '../store.js';
import { type ServeFrameOptions, serveFrame } from './frame.js';
import {
  reduceServeScreen,
  type ServeScreenEvent,
  type ServeScreenState,
  startServeScreen,
} from './state.js';

/** Options of the screen. */
export interface ServeScreenOptions extends ScreenStreams {
  readonly style: Style;
  readonly homeDir: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly onReload: () => void;
  readonly onStop: (key: 'ctrl-c' | 'q') => void;
}

/** A mounted screen. */
export interface OpenServeScreen {
  readonly changed: (serve: ServeState) => void;
  /** The process is stopping; keys change their meaning. */
  readonly stopping: () => void;
  /** Rejects if the view fails. */
  readonly failed: Promise<never>;
  /** Removes the screen and restores the terminal. */
  readonly close: () => Promise<void>;
}

/** Often enough to count seconds. */
const TICK_MS = 1000;
/** Services that start together are drawn together. */
const PACE_MS = 50;

/** Opens the screen of all services. */
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

/** What the screen shows, and the callbacks for its keys. */
interface ServeScreenProps extends ServeFrameOptions {
  readonly store: Store<ServeScreenState, ServeScreenEvent>;
  readonly stdout: NodeJS.WriteStream;
  readonly onReload: () => void;
  /** @param key `q` ends normally, Ctrl-C interrupts */
  readonly onStop: (key: 'ctrl-c' | 'q') => void;
}

/** The screen of all services: a pure view of the store. */
function ServeScreen(props: ServeScreenProps): ReactElement {
  const { store } = props;
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot);
  const size = useTerminalSize(props.stdout);
  useKeys({
    named: {
      ctrlC: () => props.onStop('ctrl-c'),
      escape: () => store.dispatch({ type: 'help.closed' }),
    },
    typed: {
      q: () => props.onStop('q'),
      r: props.onReload,
      '?': () => store.dispatch({ type: 'help.toggled' }),
    },
  });
  return <Lines lines={serveFrame(state, props, size)} />;
}

import type { WatchEvent } from '../../../engine/memory/watch/memory-watcher.js';
import type { Style } from '../../style.js';
import type { ScreenStreams } from '../mount.js';
import { mountInline } from '../mount-inline.js';
import { stopHandler } from '../stop-handler.js';
import { createStore } from '../store.js';
import { reduceWatchScreen, startWatchScreen, type WatchRow } from './state.js';
import { WatchScreen } from './view.js';

/** What the watch screen needs of the command that opens it. */
export interface WatchScreenOptions extends ScreenStreams {
  readonly style: Style;
  readonly rows: readonly Pick<WatchRow, 'name' | 'place'>[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The person asked to stop, for the `times`-th time; by the second the terminal is restored. */
  readonly onInterrupt: (times: number) => void;
}

/** The watch screen on the terminal. */
export interface OpenWatchScreen {
  readonly onEvent: (row: number, event: WatchEvent) => void;
  /** Leaves the last frame in the scrollback and restores the terminal; once. */
  readonly close: () => Promise<void>;
}

/** About 15 frames a second: figures that change faster cannot be read. */
const FRAME_MS = 66;
/** "3 min ago" and "in 4 s" move on by themselves. */
const TICK_MS = 1000;

/** Shows what watchers do until it is closed. */
export function openWatchScreen(options: WatchScreenOptions): OpenWatchScreen {
  const { now, style, stdout } = options;
  const pace = { everyMs: FRAME_MS, now: () => performance.now() };
  const store = createStore(startWatchScreen(options.rows, now()), reduceWatchScreen, pace);
  const onStop = stopHandler({
    show: () => store.dispatch({ type: 'stop.asked' }),
    close: () => close(),
    onInterrupt: options.onInterrupt,
  });
  const screen = mountInline(
    (onFrame) => (
      <WatchScreen store={store} stdout={stdout} style={style} onStop={onStop} onFrame={onFrame} />
    ),
    options,
    { keepFrame: true },
  );
  const ticking = setInterval(() => store.dispatch({ type: 'tick', atMs: now() }), TICK_MS);
  const close = async (): Promise<void> => {
    clearInterval(ticking);
    await screen.unmount();
  };
  return {
    onEvent: (row, event) => store.dispatch({ type: 'watch', row, event, atMs: now() }),
    close,
  };
}

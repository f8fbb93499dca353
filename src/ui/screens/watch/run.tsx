import type { WatchEvent } from '../../../engine/memory/watch/memory-watcher.js';
import type { Style } from '../../style.js';
import { mountScreen, type ScreenStreams } from '../mount.js';
import { eraseReflowed } from '../reflow.js';
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
  let interrupts = 0;
  let shown: readonly string[] = [];
  const onResize = (): void => {
    stdout.write(eraseReflowed(shown, stdout.columns));
  };
  const onStop = (): void => {
    interrupts += 1;
    const times = interrupts;
    store.dispatch({ type: 'stop.asked' });
    if (times === 1) options.onInterrupt(times);
    else void close().then(() => options.onInterrupt(times));
  };
  // Before ink's own listener, which clears the frame.
  stdout.prependListener('resize', onResize);
  const screen = mountScreen(
    <WatchScreen
      store={store}
      stdout={stdout}
      style={style}
      onStop={onStop}
      onFrame={(lines) => {
        shown = lines;
      }}
    />,
    options,
    { keepFrame: true },
  );
  // A view that fails takes only itself down: the work behind it goes on.
  screen.failed.catch(() => undefined);
  const ticking = setInterval(() => store.dispatch({ type: 'tick', atMs: now() }), TICK_MS);
  const close = async (): Promise<void> => {
    clearInterval(ticking);
    stdout.off('resize', onResize);
    await screen.unmount();
  };
  return {
    onEvent: (row, event) => store.dispatch({ type: 'watch', row, event, atMs: now() }),
    close,
  };
}

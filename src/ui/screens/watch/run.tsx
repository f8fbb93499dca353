import type { WatchEvent } from '../../../engine/memory/watch/watch-events.js';
import { formatCountOf } from '../../../engine/support/format.js';
import { createState } from '../../components/store.js';
import { stopHandler, WorkScreen } from '../../components/work-screen.js';
import { mountScreen, type ScreenOptions } from '../../terminal/mount-screen.js';
import { terminalColumns } from '../../terminal/size.js';
import { initialWatchScreen, reduceWatchScreen, type WatchRow, watchRows } from './view.js';

/** Options of the watch screen. */
export interface WatchScreenOptions extends ScreenOptions {
  readonly rows: readonly Pick<WatchRow, 'folder' | 'name'>[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The user asked to stop; by the second time the terminal is restored. */
  readonly onInterrupt: () => void;
}

/** About 15 frames per second: faster changes cannot be read. */
const FRAME_MS = 66;
/** Relative times such as "3 min ago" need a redraw. */
const TICK_MS = 1000;

/** Shows the work of watchers until it is closed, which leaves the last state of all memories in the scrollback. */
export function openWatchScreen(options: WatchScreenOptions) {
  const { now, style, stdout } = options;
  const store = createState(initialWatchScreen(options.rows, now()), { everyMs: FRAME_MS });
  const onStop = stopHandler(store, () => close(), options.onInterrupt);
  const screen = mountScreen(
    <WorkScreen
      store={store}
      stdout={stdout}
      style={style}
      title="svc · watch"
      facts={() => [formatCountOf(options.rows.length, 'index', 'indexes')]}
      lines={(area) => watchRows(store.getSnapshot(), style, area)}
      onStop={onStop}
    />,
    options,
  );
  // If the view fails, the work continues.
  screen.failed.catch(() => undefined);
  const ticking = setInterval(() => store.dispatch({ nowMs: now() }), TICK_MS);
  const close = async (): Promise<void> => {
    clearInterval(ticking);
    await screen.unmount();
    const size = { columns: terminalColumns(stdout), rows: Number.POSITIVE_INFINITY };
    stdout.write(`${watchRows(store.getSnapshot(), style, size).join('\n')}\n`);
  };
  return {
    onEvent: (rowAt: number, event: WatchEvent) =>
      store.dispatch(reduceWatchScreen(store.getSnapshot(), rowAt, event, now())),
    close,
  };
}

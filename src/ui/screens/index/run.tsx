import type { SyncEvent, SyncSummary } from '../../../engine/memory/sync/events.js';
import type { SkippedFile } from '../../../engine/memory/types.js';
import { renderSyncSummary } from '../../memory/sync-summary.js';
import type { Style } from '../../style.js';
import { type MountedScreen, mountScreen, type ScreenStreams } from '../mount.js';
import { eraseReflowed } from '../reflow.js';
import { createStore } from '../store.js';
import type { IndexTitle } from './frame.js';
import { reduceIndexScreen, startIndexScreen } from './state.js';
import { IndexScreen } from './view.js';

/** What the index screen needs of the command that opens it. */
export interface IndexScreenOptions extends ScreenStreams {
  readonly style: Style;
  readonly title: IndexTitle;
  /** Milliseconds on any steady clock. */
  readonly now: () => number;
  /** Does the work; every event goes to the screen. */
  readonly start: (onEvent: (event: SyncEvent) => void) => Promise<SyncSummary>;
  /**
   * The person asked to stop, for the `times`-th time. The first is for the AbortController behind
   * `start`; by the second the terminal is restored and the command may exit at once.
   */
  readonly onInterrupt: (times: number) => void;
  /** Names every skipped file in the summary. */
  readonly verbose: boolean;
  /** The engine's isFaultySkip: skips that a person should hear of unasked. */
  readonly isFaulty: (skip: SkippedFile) => boolean;
}

/** Work over sooner than this leaves its summary alone: a screen that flashes by only disturbs. */
const QUIET_FOR_MS = 150;
/** About 15 frames a second: figures that change faster cannot be read. */
const FRAME_MS = 66;

/**
 * Shows a sync while it runs and leaves its summary in the scrollback. Several agents are several
 * calls, one after another. The terminal is restored however `start` ends.
 */
export async function runIndexScreen(options: IndexScreenOptions): Promise<SyncSummary> {
  const { now, style, title, stdout } = options;
  const store = createStore(startIndexScreen(now()), reduceIndexScreen, {
    everyMs: FRAME_MS,
    now,
  });
  let screen: MountedScreen | undefined;
  let interrupts = 0;
  let shown: readonly string[] = [];
  const onResize = (): void => {
    stdout.write(eraseReflowed(shown, stdout.columns));
  };
  const close = async (): Promise<void> => {
    stdout.off('resize', onResize);
    await screen?.unmount();
  };
  const onStop = (): void => {
    interrupts += 1;
    const times = interrupts;
    store.dispatch({ type: 'stop.asked' });
    if (times === 1) options.onInterrupt(times);
    else void close().then(() => options.onInterrupt(times));
  };
  const mount = (): void => {
    // Before ink's own listener, which clears the frame.
    stdout.prependListener('resize', onResize);
    screen = mountScreen(
      <IndexScreen
        store={store}
        stdout={stdout}
        title={title}
        style={style}
        onStop={onStop}
        onFrame={(lines) => {
          shown = lines;
        }}
      />,
      options,
      { keepFrame: false },
    );
    // A view that fails takes only itself down: the work behind it goes on.
    screen.failed.catch(() => undefined);
  };
  const timer = setTimeout(mount, QUIET_FOR_MS);
  try {
    const summary = await options.start((event) => {
      store.dispatch({ type: 'sync', event, atMs: now() });
    });
    clearTimeout(timer);
    await close();
    const { verbose, isFaulty } = options;
    stdout.write(renderSyncSummary(summary, { style, agentId: title.agentId, verbose, isFaulty }));
    return summary;
  } finally {
    clearTimeout(timer);
    await close();
  }
}

import type { SyncEvent, SyncSummary } from '../../../engine/memory/sync/events.js';
import type { SkippedFile } from '../../../engine/memory/types.js';
import { renderSyncSummary } from '../../memory/sync-summary.js';
import type { Style } from '../../style.js';
import type { MountedScreen, ScreenStreams } from '../mount.js';
import { mountInline } from '../mount-inline.js';
import { stopHandler } from '../stop-handler.js';
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
  let screen: Pick<MountedScreen, 'unmount'> | undefined;
  const close = async (): Promise<void> => {
    await screen?.unmount();
  };
  const onStop = stopHandler({
    show: () => store.dispatch({ type: 'stop.asked' }),
    close,
    onInterrupt: options.onInterrupt,
  });
  const mount = (): void => {
    screen = mountInline(
      (onFrame) => (
        <IndexScreen
          store={store}
          stdout={stdout}
          title={title}
          style={style}
          onStop={onStop}
          onFrame={onFrame}
        />
      ),
      options,
      { keepFrame: false },
    );
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

import type { SyncEvent, SyncSummary } from '../../../engine/memory/sync/index.js';
import { createState } from '../../components/store.js';
import { stopHandler, WorkScreen, type WorkState } from '../../components/work-screen.js';
import { fitMiddle } from '../../fit.js';
import { reduceSync, type SyncProgress, startSyncProgress } from '../../memory/sync-progress.js';
import { renderSyncSummary } from '../../memory/sync-summary.js';
import { safeLine } from '../../safe-text.js';
import {
  type MountedScreen,
  mountScreen,
  type ScreenOptions,
} from '../../terminal/mount-screen.js';
import { syncRows } from './view.js';

/** The title of the index screen. */
export interface IndexTitle {
  readonly agentId: string;
  /** Where the memory is: `~/notes`. */
  readonly place: string;
  readonly backend: string;
}

/** Options of the index screen. */
export interface IndexScreenOptions extends ScreenOptions {
  readonly title: IndexTitle;
  /** Milliseconds on any steady clock. */
  readonly now: () => number;
  /** Runs the sync and reports its events. */
  readonly start: (onEvent: (event: SyncEvent) => void) => Promise<SyncSummary>;
  /**
   * The user asked to stop. The first time aborts `start`; by the second time the terminal is restored and the command
   * may exit immediately.
   */
  readonly onInterrupt: () => void;
  /** Lists every skipped file in the summary. */
  readonly verbose: boolean;
}

/** Shorter work only prints its summary: a screen that flashes by distracts. */
const QUIET_FOR_MS = 300;
/** About 15 frames per second: faster changes cannot be read. */
const FRAME_MS = 66;

/**
 * Shows a sync while it runs and leaves its summary in the scrollback. The terminal is restored however `start` ends.
 */
export async function runIndexScreen(options: IndexScreenOptions): Promise<SyncSummary> {
  const { now, style, stdout } = options;
  const { agentId, place, backend } = options.title;
  const title = safeLine(`svc · index · ${agentId}`);
  const engine = safeLine(backend);
  const start: IndexScreenState = { progress: startSyncProgress(now()), isStopping: false };
  const store = createState(start, { everyMs: FRAME_MS, now });
  let screen: MountedScreen | undefined;
  const close = async (): Promise<void> => {
    await screen?.unmount();
  };
  const onStop = stopHandler(store, close, options.onInterrupt);
  const mount = (): void => {
    screen = mountScreen(
      <WorkScreen
        store={store}
        title={title}
        facts={(columns) => [
          fitMiddle(safeLine(place), columns - title.length - engine.length - 5),
          engine,
        ]}
        lines={(area) => syncRows(store.getSnapshot().progress, style, area)}
        onStop={onStop}
      />,
      options,
    );
    // If the view fails, the work continues.
    screen.failed.catch(() => undefined);
  };
  const timer = setTimeout(mount, QUIET_FOR_MS);
  const work = options.start((event) => {
    store.dispatch({ progress: reduceSync(store.getSnapshot().progress, event, now()) });
  });
  const summary = await work.finally(() => {
    clearTimeout(timer);
    return close();
  });
  const { verbose } = options;
  stdout.write(renderSyncSummary(summary, { style, agentId, verbose }));
  return summary;
}

interface IndexScreenState extends WorkState {
  readonly progress: SyncProgress;
}

import type { LogRecord, ServeQueue, ServeState } from '../../../engine/serve/index.js';
import { formatCount } from '../../../engine/support/format.js';
import type { LiveWebhooks } from '../../../engine/webhooks/index.js';
import { createBrowser } from '../../components/browser.js';
import { BrowserScreen } from '../../components/browser-screen.js';
import { barKey } from '../../components/key-map.js';
import { createState } from '../../components/store.js';
import { fitMiddle } from '../../fit.js';
import { pauseLines } from '../../flows/rows.js';
import { shownPath } from '../../safe-text.js';
import type { View } from '../../style.js';
import { mountScreen, type ScreenOptions } from '../../terminal/mount-screen.js';
import {
  isFailing,
  type ServeScreenState,
  type ServiceItem,
  serviceColumns,
  serviceDetails,
  serviceItems,
  startedFacts,
  withRecord,
} from './view.js';

/** Options of the screen. */
export interface ServeScreenOptions extends Pick<View, 'homeDir'>, ScreenOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** What waits for the services; undefined while no flows are open. */
  readonly queue: () => Promise<ServeQueue | undefined>;
  readonly explain: (error: unknown) => string;
  /** Reloads the configuration. @returns what to show then @throws why it was not reloaded */
  readonly onReload: () => Promise<string>;
  /** @param key `q` ends normally, Ctrl-C interrupts */
  readonly onStop: (key: 'ctrl-c' | 'q') => void;
}

/** Often enough to count seconds. */
const POLL_MS = 1000;
/** Services that start together are drawn together. */
const PACE_MS = 50;

/** Opens the screen of all services. */
export function openServeScreen(options: ServeScreenOptions) {
  const { style, now, queue, explain } = options;
  const initial: ServeScreenState = {
    serve: undefined,
    nowMs: now(),
    isStopping: false,
    traffic: undefined,
    queue: undefined,
    logs: new Map(),
  };
  const store = createState(initial, { everyMs: PACE_MS });
  const { dispatch, getSnapshot } = store;
  const browser = createBrowser<ServiceItem, 'all' | 'failing'>({
    choices: ['all', 'failing'],
    hasPreview: true,
    list: async (choice) => ({ items: serviceItems(getSnapshot(), choice) }),
    details: async ({ service }) => serviceDetails(service, getSnapshot(), style),
    actions: [],
    explain,
  });
  const unsubscribe = store.subscribe(() => void browser.refresh());
  let live: LiveWebhooks | undefined;
  let isReading = false;
  const readQueue = async (): Promise<void> => dispatch({ queue: await queue() });
  const polling = setInterval(() => {
    // Times and traffic go on even if the queue cannot be read.
    dispatch({ nowMs: now(), traffic: live && trafficOf(live.routes()) });
    if (isReading) return;
    isReading = true;
    void browser.noteOutage(readQueue()).finally(() => {
      isReading = false;
    });
  }, POLL_MS);
  const reload = barKey('r reload', 'reload the configuration', 6, () =>
    browser.perform('reload', options.onReload),
  );
  const screen = mountScreen(
    <BrowserScreen
      browser={browser}
      extraStore={store}
      title={() => {
        const { serve } = getSnapshot();
        return serve === undefined ? 'svc · serve' : `svc · serve · process ${serve.pid}`;
      }}
      facts={() => serveFacts(getSnapshot())}
      hasDetailsBelow
      columns={() => serviceColumns(getSnapshot(), style)}
      empty={() => (getSnapshot().serve === undefined ? 'starting …' : 'no services')}
      keys={() => {
        const { isStopping } = getSnapshot();
        return {
          noun: 'service',
          quit: isStopping
            ? { bar: 'stopping   q stop now', help: 'stop now' }
            : { bar: 'q stop', help: 'finish work in progress and stop' },
          onStop: options.onStop,
          // Esc must not stop services.
          escapeEnds: false,
          extraKeys: isStopping ? [] : [reload],
        };
      }}
      around={({ columns, rows }) => {
        const { serve, queue, nowMs } = getSnapshot();
        const log = serve?.logFile ?? undefined;
        return {
          above: pauseLines(queue?.pauses ?? [], { style, nowMs }, columns),
          below:
            log === undefined || rows < LEAST_ROWS
              ? []
              : [style.dim(`log ${fitMiddle(shownPath(log, options.homeDir), columns - 4)}`)],
        };
      }}
    />,
    options,
  );
  return {
    setServe: (serve: ServeState) => dispatch({ serve, nowMs: now() }),
    /** The webhook listener has started, or ended. */
    setWebhooks: (next: LiveWebhooks | undefined): void => {
      live = next;
    },
    addRecord: (record: LogRecord) => dispatch({ logs: withRecord(getSnapshot().logs, record) }),
    /** The process is stopping; keys change their meaning. */
    setStopping: () => dispatch({ isStopping: true }),
    failed: screen.failed,
    close: async (): Promise<void> => {
      clearInterval(polling);
      unsubscribe();
      await screen.unmount();
    },
  };
}

/** Requests to all routes in each second. */
function trafficOf(routes: ReturnType<LiveWebhooks['routes']>): readonly number[] {
  const [first] = routes;
  const seconds = first?.activity.perSecond ?? [];
  return seconds.map((_, at) =>
    routes.reduce((sum, { activity }) => sum + (activity.perSecond[at] ?? 0), 0),
  );
}

function serveFacts(state: ServeScreenState): readonly string[] {
  const failing = state.serve?.services.filter(isFailing).length ?? 0;
  return [...startedFacts(state), failing === 0 ? '' : `${formatCount(failing)} failing`];
}

/** With fewer rows, the path of the log is left out. */
const LEAST_ROWS = 10;

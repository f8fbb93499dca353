import type { ServeState } from '../../../engine/serve/index.js';
import type { LiveWebhooks } from '../../../engine/webhooks/activity/live-webhooks.js';
import type { Style } from '../../style.js';
import type { ScreenStreams } from '../mount.js';
import { mountAlternate } from '../mount-alternate.js';
import { createStore } from '../store.js';
import { reduceWebhooksScreen, startWebhooksScreen } from './state.js';
import { WebhooksScreen } from './view.js';

/** What the screen needs of the command that opens it. */
export interface WebhooksScreenOptions extends ScreenStreams {
  readonly style: Style;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** What is shown goes through it. */
  readonly mask: <T>(data: T) => T;
  /** True where the listener is another process's: it can only be looked at. */
  readonly isWatched?: boolean;
  readonly onReload: () => void;
  readonly onStop: (key: 'ctrl-c' | 'q') => void;
}

/** The screen while it is on the terminal. */
export interface OpenWebhooksScreen {
  readonly changed: (serve: ServeState | undefined) => void;
  /** There is another listener, or none. */
  readonly webhooks: (live: LiveWebhooks | undefined) => void;
  /** The process was told to stop; the keys mean something else from here on. */
  readonly stopping: () => void;
  /** Rejects when the view itself failed. */
  readonly failed: Promise<never>;
  /** Takes it off and gives the terminal back; once is enough. */
  readonly close: () => Promise<void>;
}

/** Often enough to seem live; the listener is looked at no more often, however busy it is. */
const LOOK_MS = 250;

/** Puts the screen of the webhook listener on the terminal. */
export function openWebhooksScreen(options: WebhooksScreenOptions): OpenWebhooksScreen {
  const { style, stdout, now, mask, isWatched } = options;
  const pace = { everyMs: 0, now: () => performance.now() };
  const store = createStore(startWebhooksScreen(now(), isWatched), reduceWebhooksScreen, pace);
  const screen = mountAlternate(
    <WebhooksScreen
      store={store}
      stdout={stdout}
      style={style}
      onReload={options.onReload}
      onStop={options.onStop}
    />,
    options,
  );
  let live: LiveWebhooks | undefined;
  const look = (): void =>
    store.dispatch({ type: 'looked', webhooks: mask(live?.snapshot()), nowMs: now() });
  const looking = setInterval(look, LOOK_MS);
  return {
    changed: (serve) => store.dispatch({ type: 'changed', serve, nowMs: now() }),
    webhooks: (next) => {
      live = next;
      live?.follow();
      look();
    },
    stopping: () => store.dispatch({ type: 'stopping' }),
    failed: screen.failed,
    close: async () => {
      clearInterval(looking);
      await screen.unmount();
    },
  };
}

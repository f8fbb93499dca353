import { type ReactElement, useSyncExternalStore } from 'react';
import type { ServeState } from '../../../engine/serve/index.js';
import type { LiveWebhooks } from '../../../engine/webhooks/index.js';
import type { Style } from '../../style.js';
import { useKeys } from '../keys.js';
import { Lines } from '../lines.js';
import { type ScreenStreams, useTerminalSize } from '../mount.js';
import { mountAlternate } from '../mount-alternate.js';
import { createStore, type Store } from '../store.js';
import { webhooksFrame } from './frame.js';
import {
  reduceWebhooksScreen,
  startWebhooksScreen,
  type WebhooksScreenEvent,
  type WebhooksScreenState,
} from './state.js';

/** Options of the screen. */
export interface WebhooksScreenOptions extends ScreenStreams {
  readonly style: Style;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Masks secrets in everything that is shown. */
  readonly mask: <T>(data: T) => T;
  /** The listener belongs to another process and is only watched. */
  readonly isWatched?: boolean;
  readonly onReload: () => void;
  readonly onStop: (key: 'ctrl-c' | 'q') => void;
}

/** A mounted screen. */
export interface OpenWebhooksScreen {
  readonly changed: (serve: ServeState | undefined) => void;
  /** The listener has changed, or stopped. */
  readonly webhooks: (live: LiveWebhooks | undefined) => void;
  /** The process is stopping; keys change their meaning. */
  readonly stopping: () => void;
  /** Rejects if the view fails. */
  readonly failed: Promise<never>;
  /** Removes the screen and restores the terminal. */
  readonly close: () => Promise<void>;
}

/** Often enough to look live. */
const LOOK_MS = 250;

/** Opens the screen of the webhook listener. */
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
  const look = async (): Promise<void> => {
    const webhooks = await live?.snapshot();
    store.dispatch({ type: 'looked', webhooks: mask(webhooks), nowMs: now() });
  };
  const looking = setInterval(() => void look(), LOOK_MS);
  return {
    changed: (serve) => store.dispatch({ type: 'changed', serve, nowMs: now() }),
    webhooks: (next) => {
      live = next;
      live?.follow();
      void look();
    },
    stopping: () => store.dispatch({ type: 'stopping' }),
    failed: screen.failed,
    close: async () => {
      clearInterval(looking);
      await screen.unmount();
    },
  };
}

/** What the screen shows, and the callbacks for its keys. */
interface WebhooksScreenProps {
  readonly store: Store<WebhooksScreenState, WebhooksScreenEvent>;
  readonly stdout: NodeJS.WriteStream;
  readonly style: Style;
  readonly onReload: () => void;
  /** @param key `q` ends normally, Ctrl-C interrupts */
  readonly onStop: (key: 'ctrl-c' | 'q') => void;
}

/** The screen of the webhook listener: a pure view of the store. */
function WebhooksScreen(props: WebhooksScreenProps): ReactElement {
  const { store, style } = props;
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot);
  const size = useTerminalSize(props.stdout);
  useKeys({
    named: {
      ctrlC: () => props.onStop('ctrl-c'),
      // Esc closes a screen that only watches; it must not stop a listener.
      escape:
        state.isWatched && !state.help
          ? () => props.onStop('q')
          : () => store.dispatch({ type: 'help.closed' }),
    },
    typed: {
      q: () => props.onStop('q'),
      r: props.onReload,
      '?': () => store.dispatch({ type: 'help.toggled' }),
    },
  });
  return <Lines lines={webhooksFrame(state, style, size)} />;
}

import { type ReactElement, useSyncExternalStore } from 'react';
import type { Style } from '../../style.js';
import { Lines } from '../lines.js';
import type { Store } from '../store.js';
import { useTerminalSize } from '../terminal-size.js';
import { useKeys } from '../use-keys.js';
import { webhooksFrame } from './frame.js';
import type { WebhooksScreenEvent, WebhooksScreenState } from './state.js';

/** What the screen is given: state to show, and where to send what the person wants. */
export interface WebhooksScreenProps {
  readonly store: Store<WebhooksScreenState, WebhooksScreenEvent>;
  readonly stdout: NodeJS.WriteStream;
  readonly style: Style;
  readonly onReload: () => void;
  /** @param key how it was said: `q` is an ordinary end, Ctrl-C an interruption */
  readonly onStop: (key: 'ctrl-c' | 'q') => void;
}

/** The screen of the webhook listener: a pure view of the store. */
export function WebhooksScreen(props: WebhooksScreenProps): ReactElement {
  const { store, style } = props;
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot);
  const size = useTerminalSize(props.stdout);
  useKeys({
    named: {
      ctrlC: () => props.onStop('ctrl-c'),
      // What is only looked at is left; a listener of one's own is stopped by the keys that say so.
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

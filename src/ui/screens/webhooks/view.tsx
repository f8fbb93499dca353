import { useInput } from 'ink';
import { type ReactElement, useEffect, useSyncExternalStore } from 'react';
import type { Style } from '../../style.js';
import { Lines } from '../lines.js';
import type { Store } from '../store.js';
import { useTerminalSize } from '../terminal-size.js';
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
  /** Called when ink takes the view off, also when the process ends without its run function. */
  readonly onUnmount: () => void;
}

/** The screen of the webhook listener: a pure view of the store. */
export function WebhooksScreen(props: WebhooksScreenProps): ReactElement {
  const { store, style, onUnmount } = props;
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot);
  const size = useTerminalSize(props.stdout);
  const press = (letter: string): void => {
    if (letter === 'q') props.onStop('q');
    else if (letter === 'r') props.onReload();
    else if (letter === '?') store.dispatch({ type: 'help.toggled' });
  };
  useInput((input, key) => {
    if (key.ctrl && input === 'c') props.onStop('ctrl-c');
    else if (key.escape) goBack(props);
    // Keys typed faster than they are read arrive together.
    else if (!key.ctrl && !key.meta) for (const letter of input) press(letter);
  });
  useEffect(() => onUnmount, [onUnmount]);
  return <Lines lines={webhooksFrame(state, style, size)} />;
}

/** Esc leaves what is only looked at; a listener of one's own is stopped by the keys that say so. */
function goBack({ store, onStop }: WebhooksScreenProps): void {
  const { help, isWatched } = store.getSnapshot();
  if (isWatched && !help) onStop('q');
  else store.dispatch({ type: 'help.closed' });
}

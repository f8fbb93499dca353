import { type ReactElement, useSyncExternalStore } from 'react';
import { Lines } from '../lines.js';
import type { Store } from '../store.js';
import { useTerminalSize } from '../terminal-size.js';
import { useKeys } from '../use-keys.js';
import { type ServeFrameOptions, serveFrame } from './frame.js';
import type { ServeScreenEvent, ServeScreenState } from './state.js';

/** What the screen is given: state to show, and where to send what the person wants. */
export interface ServeScreenProps extends ServeFrameOptions {
  readonly store: Store<ServeScreenState, ServeScreenEvent>;
  readonly stdout: NodeJS.WriteStream;
  readonly onReload: () => void;
  /** @param key how it was said: `q` is an ordinary end, Ctrl-C an interruption */
  readonly onStop: (key: 'ctrl-c' | 'q') => void;
}

/** The screen of all services: a pure view of the store. */
export function ServeScreen(props: ServeScreenProps): ReactElement {
  const { store } = props;
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot);
  const size = useTerminalSize(props.stdout);
  useKeys({
    named: {
      ctrlC: () => props.onStop('ctrl-c'),
      escape: () => store.dispatch({ type: 'help.closed' }),
    },
    typed: {
      q: () => props.onStop('q'),
      r: props.onReload,
      '?': () => store.dispatch({ type: 'help.toggled' }),
    },
  });
  return <Lines lines={serveFrame(state, props, size)} />;
}

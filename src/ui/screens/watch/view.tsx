import { type ReactElement, useEffect, useSyncExternalStore } from 'react';
import type { Style } from '../../style.js';
import { Lines } from '../lines.js';
import type { OnFrame } from '../mount-inline.js';
import type { Store } from '../store.js';
import { useTerminalSize } from '../terminal-size.js';
import { useKeys } from '../use-keys.js';
import { watchFrame } from './frame.js';
import type { WatchScreenEvent, WatchScreenState } from './state.js';

/** What the watch screen is given: state to show, and where to send what the person wants. */
export interface WatchScreenProps {
  readonly store: Store<WatchScreenState, WatchScreenEvent>;
  readonly stdout: NodeJS.WriteStream;
  readonly style: Style;
  readonly onStop: () => void;
  readonly onFrame: OnFrame;
}

/** The watch screen: a pure view of the store. */
export function WatchScreen(props: WatchScreenProps): ReactElement {
  const { store, style, onStop, onFrame } = props;
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot);
  const size = useTerminalSize(props.stdout);
  useKeys({
    named: { ctrlC: onStop, escape: () => store.dispatch({ type: 'help.closed' }) },
    typed: { q: onStop, '?': () => store.dispatch({ type: 'help.toggled' }) },
  });
  const lines = watchFrame(state, style, size);
  useEffect(() => onFrame(lines));
  return <Lines lines={lines} />;
}

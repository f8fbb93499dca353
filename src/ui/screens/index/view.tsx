import { type ReactElement, useEffect, useSyncExternalStore } from 'react';
import type { Style } from '../../style.js';
import { Lines } from '../lines.js';
import type { OnFrame } from '../mount-inline.js';
import type { Store } from '../store.js';
import { useTerminalSize } from '../terminal-size.js';
import { useKeys } from '../use-keys.js';
import { type IndexTitle, indexFrame } from './frame.js';
import type { IndexScreenEvent, IndexScreenState } from './state.js';

/** What the index screen is given: state to show, and where to send what the person wants. */
export interface IndexScreenProps {
  readonly store: Store<IndexScreenState, IndexScreenEvent>;
  readonly stdout: NodeJS.WriteStream;
  readonly title: IndexTitle;
  readonly style: Style;
  readonly onStop: () => void;
  readonly onFrame: OnFrame;
}

/** The index screen: a pure view of the store. */
export function IndexScreen(props: IndexScreenProps): ReactElement {
  const { store, title, style, onStop, onFrame } = props;
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot);
  const size = useTerminalSize(props.stdout);
  useKeys({
    named: { ctrlC: onStop, escape: () => store.dispatch({ type: 'help.closed' }) },
    typed: { q: onStop, '?': () => store.dispatch({ type: 'help.toggled' }) },
  });
  const lines = indexFrame(state, title, style, size);
  useEffect(() => onFrame(lines));
  return <Lines lines={lines} />;
}

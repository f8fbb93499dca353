import { useInput } from 'ink';
import { type ReactElement, useEffect, useSyncExternalStore } from 'react';
import type { Style } from '../../style.js';
import { Lines } from '../lines.js';
import type { Store } from '../store.js';
import { useTerminalSize } from '../terminal-size.js';
import { flowsFrame } from './frame.js';
import type { FlowsScreenEvent, FlowsScreenState } from './state.js';

/** What the screen is given: state to show, and where to send what the person wants. */
export interface FlowsScreenProps {
  readonly store: Store<FlowsScreenState, FlowsScreenEvent>;
  readonly stdout: NodeJS.WriteStream;
  readonly style: Style;
  readonly onStop: (key: 'ctrl-c' | 'q') => void;
  /** Called when ink takes the view off. */
  readonly onUnmount: () => void;
}

/** The screen that follows a list of flows or tasks: a pure view of the store. */
export function FlowsScreen(props: FlowsScreenProps): ReactElement {
  const { store, onUnmount } = props;
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot);
  const size = useTerminalSize(props.stdout);
  useInput((input, key) => {
    if (key.ctrl && input === 'c') props.onStop('ctrl-c');
    else if (key.escape && state.help) store.dispatch({ type: 'help.closed' });
    else if (key.escape || input === 'q') props.onStop('q');
    else if (input === '?') store.dispatch({ type: 'help.toggled' });
  });
  useEffect(() => onUnmount, [onUnmount]);
  return <Lines lines={flowsFrame(state, props.style, size)} />;
}

import { type ReactElement, useSyncExternalStore } from 'react';
import type { Style } from '../../style.js';
import { Lines } from '../lines.js';
import type { Store } from '../store.js';
import { useTerminalSize } from '../terminal-size.js';
import { useKeys } from '../use-keys.js';
import { flowsFrame } from './frame.js';
import type { FlowsScreenEvent, FlowsScreenState } from './state.js';

/** What the screen is given: state to show, and where to send what the person wants. */
export interface FlowsScreenProps {
  readonly store: Store<FlowsScreenState, FlowsScreenEvent>;
  readonly stdout: NodeJS.WriteStream;
  readonly style: Style;
  readonly onStop: (key: 'ctrl-c' | 'q') => void;
}

/** The screen that follows a list of flows or tasks: a pure view of the store. */
export function FlowsScreen(props: FlowsScreenProps): ReactElement {
  const { store } = props;
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot);
  const size = useTerminalSize(props.stdout);
  useKeys({
    named: {
      ctrlC: () => props.onStop('ctrl-c'),
      escape: state.help ? () => store.dispatch({ type: 'help.closed' }) : () => props.onStop('q'),
    },
    typed: {
      q: () => props.onStop('q'),
      '?': () => store.dispatch({ type: 'help.toggled' }),
    },
  });
  return <Lines lines={flowsFrame(state, props.style, size)} />;
}

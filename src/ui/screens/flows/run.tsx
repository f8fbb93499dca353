import { type ReactElement, useSyncExternalStore } from 'react';
import type { Style } from '../../style.js';
import { useKeys } from '../keys.js';
import { Lines } from '../lines.js';
import { type ScreenStreams, useTerminalSize } from '../mount.js';
import { mountAlternate } from '../mount-alternate.js';
import { createStore, type Store } from '../store.js';
import { flowsFrame } from './frame.js';
import {
  type FlowsScreenEvent,
  type FlowsScreenState,
  reduceFlowsScreen,
  type ShownList,
  startFlowsScreen,
} from './state.js';

/** Options of the screen. */
export interface FlowsScreenOptions extends ScreenStreams {
  readonly kind: FlowsScreenState['kind'];
  readonly style: Style;
  readonly onStop: (key: 'ctrl-c' | 'q') => void;
}

/** A mounted screen. */
export interface OpenFlowsScreen {
  readonly show: (list: ShownList) => void;
  /** Rejects if the view fails. */
  readonly failed: Promise<never>;
  /** Removes the screen and restores the terminal. */
  readonly close: () => Promise<void>;
}

/** Opens a screen with a list of flows or tasks. */
export function openFlowsScreen(options: FlowsScreenOptions): OpenFlowsScreen {
  const { kind, style, stdout, onStop } = options;
  const store = createStore(startFlowsScreen(kind), reduceFlowsScreen);
  const screen = mountAlternate(
    <FlowsScreen store={store} stdout={stdout} style={style} onStop={onStop} />,
    options,
  );
  return {
    show: (list) => store.dispatch({ type: 'listed', list }),
    failed: screen.failed,
    close: async () => {
      await screen.unmount();
    },
  };
}

/** What the screen shows, and the callbacks for its keys. */
interface FlowsScreenProps {
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

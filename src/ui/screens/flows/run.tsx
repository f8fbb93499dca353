import type { Style } from '../../style.js';
import type { ScreenStreams } from '../mount.js';
import { mountAlternate } from '../mount-alternate.js';
import { createStore } from '../store.js';
import {
  type FlowsScreenState,
  reduceFlowsScreen,
  type ShownList,
  startFlowsScreen,
} from './state.js';
import { FlowsScreen } from './view.js';

/** What the screen needs of the command that opens it. */
export interface FlowsScreenOptions extends ScreenStreams {
  readonly kind: FlowsScreenState['kind'];
  readonly style: Style;
  readonly onStop: (key: 'ctrl-c' | 'q') => void;
}

/** The screen while it is on the terminal. */
export interface OpenFlowsScreen {
  readonly show: (list: ShownList) => void;
  /** Rejects when the view itself failed. */
  readonly failed: Promise<never>;
  /** Takes it off and gives the terminal back; once is enough. */
  readonly close: () => Promise<void>;
}

/** Puts a list of flows or tasks on the terminal, to be kept up to date. */
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

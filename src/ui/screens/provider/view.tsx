import { useInput } from 'ink';
import { type ReactElement, useEffect, useSyncExternalStore } from 'react';
import type { Style } from '../../style.js';
import { Lines } from '../lines.js';
import type { Store } from '../store.js';
import { useTerminalSize } from '../terminal-size.js';
import { providerFrame } from './frame.js';
import type { ProviderScreenEvent, ProviderScreenState } from './state.js';

/** What the diagnostics screen is given: state to show, and where to send what the person wants. */
export interface ProviderScreenProps {
  readonly store: Store<ProviderScreenState, ProviderScreenEvent>;
  readonly stdout: NodeJS.WriteStream;
  readonly title: string;
  readonly style: Style;
  readonly onAgain: () => void;
  readonly onEdit: () => void;
  readonly onLeave: () => void;
  /** Hears which lines are on the screen now. */
  readonly onFrame: (lines: readonly string[]) => void;
}

/** The diagnostics screen: a pure view of the store. */
export function ProviderScreen(props: ProviderScreenProps): ReactElement {
  const { store, title, style, onFrame } = props;
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot);
  const size = useTerminalSize(props.stdout);
  useInput((input, key) => {
    if ((key.ctrl && input === 'c') || input === 'q') props.onLeave();
    else if (input === 'r') props.onAgain();
    else if (input === 'e') props.onEdit();
    else if (input === '?') store.dispatch({ type: 'help.toggled' });
    else if (key.escape) store.dispatch({ type: 'help.closed' });
  });
  const lines = providerFrame(state, title, style, size);
  useEffect(() => onFrame(lines));
  return <Lines lines={lines} />;
}

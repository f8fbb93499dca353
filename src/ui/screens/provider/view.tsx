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
  /** Called when ink takes the view off, also when the process ends without its run function. */
  readonly onUnmount: () => void;
}

/** The diagnostics screen: a pure view of the store. */
export function ProviderScreen(props: ProviderScreenProps): ReactElement {
  const { store, title, style, onUnmount } = props;
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot);
  const size = useTerminalSize(props.stdout);
  const press = (letter: string): void => {
    if (letter === 'q') props.onLeave();
    else if (letter === 'r') props.onAgain();
    else if (letter === 'e') props.onEdit();
    else if (letter === '?') store.dispatch({ type: 'help.toggled' });
  };
  useInput((input, key) => {
    if (key.ctrl && input === 'c') props.onLeave();
    else if (key.escape && state.help) store.dispatch({ type: 'help.closed' });
    else if (key.escape) props.onLeave();
    // Keys typed faster than they are read arrive together.
    else if (!key.ctrl && !key.meta) for (const letter of input) press(letter);
  });
  useEffect(() => onUnmount, [onUnmount]);
  return <Lines lines={providerFrame(state, title, style, size)} />;
}

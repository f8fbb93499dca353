import { type ReactElement, useSyncExternalStore } from 'react';
import type { Style } from '../../style.js';
import { Lines } from '../lines.js';
import type { Store } from '../store.js';
import { useTerminalSize } from '../terminal-size.js';
import { useKeys } from '../use-keys.js';
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
}

/** The diagnostics screen: a pure view of the store. */
export function ProviderScreen(props: ProviderScreenProps): ReactElement {
  const { store, title, style } = props;
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot);
  const size = useTerminalSize(props.stdout);
  useKeys({
    named: {
      ctrlC: props.onLeave,
      escape: state.help ? () => store.dispatch({ type: 'help.closed' }) : props.onLeave,
    },
    typed: {
      q: props.onLeave,
      r: props.onAgain,
      e: props.onEdit,
      '?': () => store.dispatch({ type: 'help.toggled' }),
    },
  });
  return <Lines lines={providerFrame(state, title, style, size)} />;
}

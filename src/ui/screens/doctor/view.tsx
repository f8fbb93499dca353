import { type ReactElement, useSyncExternalStore } from 'react';
import type { Style } from '../../style.js';
import { Lines } from '../lines.js';
import type { Store } from '../store.js';
import { useTerminalSize } from '../terminal-size.js';
import { useKeys } from '../use-keys.js';
import { doctorFrame } from './frame.js';
import type { DoctorScreenEvent, DoctorScreenState } from './state.js';

/** What the doctor's screen is given: state to show, and where to send what the person wants. */
export interface DoctorScreenProps {
  readonly store: Store<DoctorScreenState, DoctorScreenEvent>;
  readonly stdout: NodeJS.WriteStream;
  readonly style: Style;
  readonly homeDir: string;
  readonly onAgain: () => void;
  readonly onApply: () => void;
  readonly onApplyAll: () => void;
  readonly onEdit: () => void;
  readonly onLeave: () => void;
}

/** The doctor's screen: a pure view of the store. */
export function DoctorScreen(props: DoctorScreenProps): ReactElement {
  const { store, style, homeDir } = props;
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot);
  const size = useTerminalSize(props.stdout);
  const move = (by: number) => () => store.dispatch({ type: 'moved', by });
  const isOpen = state.help || state.confirming || state.opened;
  useKeys({
    named: {
      ctrlC: props.onLeave,
      escape: isOpen ? () => store.dispatch({ type: 'back' }) : props.onLeave,
      upArrow: move(-1),
      downArrow: move(1),
      return: () => store.dispatch({ type: 'mend.toggled' }),
    },
    typed: {
      q: props.onLeave,
      r: props.onAgain,
      a: props.onApply,
      A: props.onApplyAll,
      e: props.onEdit,
      j: move(1),
      k: move(-1),
      '?': () => store.dispatch({ type: 'help.toggled' }),
      '\r': () => store.dispatch({ type: 'mend.toggled' }),
    },
  });
  return <Lines lines={doctorFrame(state, { style, homeDir }, size)} />;
}

import { type Key, useInput } from 'ink';
import { type ReactElement, useEffect, useSyncExternalStore } from 'react';
import type { Style } from '../../style.js';
import { Lines } from '../lines.js';
import type { Store } from '../store.js';
import { useTerminalSize } from '../terminal-size.js';
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
  /** Called when ink takes the view off, also when the process ends without its run function. */
  readonly onUnmount: () => void;
}

/** The doctor's screen: a pure view of the store. */
export function DoctorScreen(props: DoctorScreenProps): ReactElement {
  const { store, style, homeDir, onUnmount } = props;
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot);
  const size = useTerminalSize(props.stdout);
  useInput((input, key) => {
    const event = eventOf(key);
    const isOpen = state.help || state.confirming || state.opened;
    if ((key.ctrl && input === 'c') || (key.escape && !isOpen)) props.onLeave();
    else if (event !== undefined) store.dispatch(event);
    // Keys typed faster than they are read arrive together.
    else if (!key.ctrl && !key.meta) for (const letter of input) press(letter, props);
  });
  useEffect(() => onUnmount, [onUnmount]);
  return <Lines lines={doctorFrame(state, { style, homeDir }, size)} />;
}

function eventOf(key: Key): DoctorScreenEvent | undefined {
  if (key.upArrow) return { type: 'moved', by: -1 };
  if (key.downArrow) return { type: 'moved', by: 1 };
  if (key.return) return { type: 'mend.toggled' };
  return key.escape ? { type: 'back' } : undefined;
}

function press(letter: string, props: DoctorScreenProps): void {
  const { store } = props;
  const does: Readonly<Record<string, () => void>> = {
    q: props.onLeave,
    r: props.onAgain,
    a: props.onApply,
    A: props.onApplyAll,
    e: props.onEdit,
    j: () => store.dispatch({ type: 'moved', by: 1 }),
    k: () => store.dispatch({ type: 'moved', by: -1 }),
    '?': () => store.dispatch({ type: 'help.toggled' }),
    '\r': () => store.dispatch({ type: 'mend.toggled' }),
  };
  if (Object.hasOwn(does, letter)) does[letter]?.();
}

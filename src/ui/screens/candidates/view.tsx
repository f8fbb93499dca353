import { type Key, useInput } from 'ink';
import { type ReactElement, useEffect, useSyncExternalStore } from 'react';
import type { Style } from '../../style.js';
import { Lines } from '../lines.js';
import type { Store } from '../store.js';
import { useTerminalSize } from '../terminal-size.js';
import { candidatesFrame } from './frame.js';
import type { CandidatesEvent, CandidatesState } from './state.js';

/** What the screen of candidates is given: state to show, and where to send what the person wants. */
export interface CandidatesScreenProps {
  readonly store: Store<CandidatesState, CandidatesEvent>;
  readonly stdout: NodeJS.WriteStream;
  readonly style: Style;
  readonly title: string;
  readonly onPromote: () => void;
  readonly onReject: () => void;
  readonly onUndo: () => void;
  readonly onAgain: () => void;
  readonly onLeave: () => void;
  /** Called when ink takes the view off, also when the process ends without its run function. */
  readonly onUnmount: () => void;
}

/** The screen of candidates: a pure view of the store. */
export function CandidatesScreen(props: CandidatesScreenProps): ReactElement {
  const { store, style, title, onUnmount } = props;
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot);
  const size = useTerminalSize(props.stdout);
  useInput((input, key) => {
    const event = eventOf(key);
    const isOpen = state.help || state.why;
    if ((key.ctrl && input === 'c') || (key.escape && !isOpen)) props.onLeave();
    else if (event !== undefined) store.dispatch(event);
    // Keys typed faster than they are read arrive together.
    else if (!key.ctrl && !key.meta) for (const letter of input) press(letter, props);
  });
  useEffect(() => onUnmount, [onUnmount]);
  return <Lines lines={candidatesFrame(state, { style, title }, size)} />;
}

const PAGE = 10;

function eventOf(key: Key): CandidatesEvent | undefined {
  if (key.upArrow) return { type: 'moved', by: -1 };
  if (key.downArrow) return { type: 'moved', by: 1 };
  if (key.pageUp) return { type: 'moved', by: -PAGE };
  if (key.pageDown) return { type: 'moved', by: PAGE };
  return key.escape ? { type: 'back' } : undefined;
}

function press(letter: string, props: CandidatesScreenProps): void {
  const { store } = props;
  const does: Readonly<Record<string, () => void>> = {
    q: props.onLeave,
    r: props.onAgain,
    p: props.onPromote,
    x: props.onReject,
    u: props.onUndo,
    w: () => store.dispatch({ type: 'why.toggled' }),
    j: () => store.dispatch({ type: 'moved', by: 1 }),
    k: () => store.dispatch({ type: 'moved', by: -1 }),
    '?': () => store.dispatch({ type: 'help.toggled' }),
  };
  if (Object.hasOwn(does, letter)) does[letter]?.();
}

import { type ReactElement, useSyncExternalStore } from 'react';
import type { Style } from '../../style.js';
import { Lines } from '../lines.js';
import type { Store } from '../store.js';
import { useTerminalSize } from '../terminal-size.js';
import { useKeys } from '../use-keys.js';
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
}

const PAGE = 10;

/** The screen of candidates: a pure view of the store. */
export function CandidatesScreen(props: CandidatesScreenProps): ReactElement {
  const { store, style, title } = props;
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot);
  const size = useTerminalSize(props.stdout);
  const move = (by: number) => () => store.dispatch({ type: 'moved', by });
  const isOpen = state.help || state.why;
  useKeys({
    named: {
      ctrlC: props.onLeave,
      escape: isOpen ? () => store.dispatch({ type: 'back' }) : props.onLeave,
      upArrow: move(-1),
      downArrow: move(1),
      pageUp: move(-PAGE),
      pageDown: move(PAGE),
    },
    typed: {
      q: props.onLeave,
      r: props.onAgain,
      p: props.onPromote,
      x: props.onReject,
      u: props.onUndo,
      w: () => store.dispatch({ type: 'why.toggled' }),
      j: move(1),
      k: move(-1),
      '?': () => store.dispatch({ type: 'help.toggled' }),
    },
  });
  return <Lines lines={candidatesFrame(state, { style, title }, size)} />;
}

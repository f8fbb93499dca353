import { type ReactElement, useSyncExternalStore } from 'react';
import type { Style } from '../../style.js';
import { Lines } from '../lines.js';
import type { Store } from '../store.js';
import { useTerminalSize } from '../terminal-size.js';
import { useKeys } from '../use-keys.js';
import { chosenLine, homeFrame } from './frame.js';
import { type HomeLine, homeLines } from './lines.js';
import type { HomeEvent, HomeState, HomeTarget } from './state.js';

/** What home is given: state to show, and where to send what the person wants. */
export interface HomeScreenProps {
  readonly store: Store<HomeState, HomeEvent>;
  readonly stdout: NodeJS.WriteStream;
  readonly style: Style;
  readonly homeDir: string;
  readonly onOpen: (target: HomeTarget) => void;
  readonly onAgain: () => void;
  readonly onLeave: () => void;
}

const PAGE = 10;

/** The home screen: a pure view of the store. */
export function HomeScreen(props: HomeScreenProps): ReactElement {
  const { store, style, homeDir } = props;
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot);
  const size = useTerminalSize(props.stdout);
  const moveBy = (by: number) => () => move(store, by);
  const open = (): void => openChosen(props);
  useKeys({
    named: {
      ctrlC: props.onLeave,
      escape: state.help ? () => store.dispatch({ type: 'help.closed' }) : props.onLeave,
      upArrow: moveBy(-1),
      downArrow: moveBy(1),
      pageUp: moveBy(-PAGE),
      pageDown: moveBy(PAGE),
      return: open,
    },
    typed: {
      q: props.onLeave,
      r: props.onAgain,
      '/': () => openOfAgent('search', props),
      i: () => openOfAgent('index', props),
      d: () => openOfAgent('diagnosis', props),
      j: moveBy(1),
      k: moveBy(-1),
      '?': () => store.dispatch({ type: 'help.toggled' }),
      '\r': open,
      // Enter, typed while no screen was on.
      '\n': open,
    },
  });
  return <Lines lines={homeFrame(state, { style, homeDir }, size)} />;
}

function openChosen({ store, onOpen }: HomeScreenProps): void {
  onOpen(chosenOf(store).target);
}

/** Keys of agents do nothing on other lines. */
function openOfAgent(
  kind: 'diagnosis' | 'index' | 'search',
  { store, onOpen }: HomeScreenProps,
): void {
  const { target } = chosenOf(store);
  if (target.kind === 'search') onOpen({ kind, agent: target.agent });
}

/** Several keys may be read before anything is drawn: what counts is the store, not the last frame. */
function chosenOf(store: HomeScreenProps['store']): HomeLine {
  const state = store.getSnapshot();
  return chosenLine(state, homeLines(state));
}

function move(store: HomeScreenProps['store'], by: number): void {
  const state = store.getSnapshot();
  const lines = homeLines(state);
  const at = lines.indexOf(chosenLine(state, lines));
  const next = lines[Math.min(Math.max(at + by, 0), lines.length - 1)];
  store.dispatch({ type: 'chosen', key: next?.key });
}

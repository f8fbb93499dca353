import { type Key, useInput } from 'ink';
import { type ReactElement, useEffect, useSyncExternalStore } from 'react';
import type { Style } from '../../style.js';
import { Lines } from '../lines.js';
import type { Store } from '../store.js';
import { useTerminalSize } from '../terminal-size.js';
import { chosenLine, homeFrame } from './frame.js';
import { homeLines } from './lines.js';
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
  /** Called when ink takes the view off, also when the process ends without its run function. */
  readonly onUnmount: () => void;
}

/** The home screen: a pure view of the store. */
export function HomeScreen(props: HomeScreenProps): ReactElement {
  const { store, style, homeDir, onUnmount } = props;
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot);
  const size = useTerminalSize(props.stdout);
  useInput((input, key) => {
    const by = stepOf(key);
    if (key.ctrl && input === 'c') props.onLeave();
    else if (key.escape) back(props);
    else if (key.return) openChosen(props);
    else if (by !== undefined) move(store, by);
    // Keys typed faster than they are read arrive together.
    else if (!key.ctrl && !key.meta) for (const letter of input) press(letter, props);
  });
  useEffect(() => onUnmount, [onUnmount]);
  return <Lines lines={homeFrame(state, { style, homeDir }, size)} />;
}

const PAGE = 10;

function stepOf(key: Key): number | undefined {
  if (key.upArrow) return -1;
  if (key.downArrow) return 1;
  if (key.pageUp) return -PAGE;
  return key.pageDown ? PAGE : undefined;
}

function press(letter: string, props: HomeScreenProps): void {
  const { store } = props;
  const ofAgent = (kind: 'diagnosis' | 'index' | 'search') => (): void => {
    const { target } = chosenLine(store.getSnapshot(), homeLines(store.getSnapshot()));
    if (target.kind === 'search') props.onOpen({ kind, agent: target.agent });
  };
  const does: Readonly<Record<string, () => void>> = {
    q: props.onLeave,
    r: props.onAgain,
    '/': ofAgent('search'),
    i: ofAgent('index'),
    d: ofAgent('diagnosis'),
    j: () => move(store, 1),
    k: () => move(store, -1),
    '?': () => store.dispatch({ type: 'help.toggled' }),
    '\r': () => openChosen(props),
  };
  if (Object.hasOwn(does, letter)) does[letter]?.();
}

function openChosen({ store, onOpen }: HomeScreenProps): void {
  const state = store.getSnapshot();
  onOpen(chosenLine(state, homeLines(state)).target);
}

/** Esc closes the list of keys; with nothing to close it leaves. */
function back({ store, onLeave }: HomeScreenProps): void {
  if (store.getSnapshot().help) store.dispatch({ type: 'help.closed' });
  else onLeave();
}

function move(store: HomeScreenProps['store'], by: number): void {
  const state = store.getSnapshot();
  const lines = homeLines(state);
  const at = lines.indexOf(chosenLine(state, lines));
  const next = lines[Math.min(Math.max(at + by, 0), lines.length - 1)];
  store.dispatch({ type: 'chosen', key: next?.key });
}

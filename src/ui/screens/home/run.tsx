import { type ReactElement, useSyncExternalStore } from 'react';
import type { OverviewNews } from '../../../engine/overview/index.js';
import type { Style } from '../../style.js';
import { runAlternate } from '../../terminal/mount-alternate.js';
import type { ScreenStreams } from '../../terminal/session.js';
import { useTerminalSize } from '../../terminal/size.js';
import { createEnding } from '../ending.js';
import { useKeys } from '../keys.js';
import { Lines } from '../lines.js';
import { createStore, type Store } from '../store.js';
import { chosenLine, homeFrame } from './frame.js';
import { type HomeLine, homeLines } from './lines.js';
import {
  type HomeEvent,
  type HomeState,
  type HomeTarget,
  type HomeTold,
  homeAgain,
  reduceHome,
  startHome,
} from './state.js';

/** Keeps the overview up to date while the home screen is shown. */
export interface HomeFollowing {
  /** Refreshes everything now. */
  readonly again: () => void;
  readonly close: () => Promise<void>;
}

/** Starts following. @param onEnd called with the reason if it ends on its own */
export type FollowHome = (
  tell: (news: Partial<OverviewNews>) => void,
  onEnd: (why: string) => void,
) => HomeFollowing;

/** A screen that is ready to be shown; resolves with its result when it is closed. */
export type OpenedTarget = () => Promise<HomeTold | undefined>;

/** Options of the home screen. */
export interface HomeScreenOptions extends ScreenStreams {
  readonly style: Style;
  readonly homeDir: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly follow: FollowHome;
  /**
   * Loads what a screen needs while the home screen is still shown, or returns why there is nothing to show.
   */
  readonly prepare: (target: HomeTarget, signal: AbortSignal) => Promise<OpenedTarget | HomeTold>;
  /** The message for a failure. */
  readonly explain: (error: unknown) => string;
  /** The state before another screen was opened, and the result of that screen. */
  readonly before: { readonly state: HomeState; readonly told: HomeTold | undefined } | undefined;
  /** Closes the screen as if the user had quit. */
  readonly signal: AbortSignal;
}

/** How the home screen ended. */
export type HomeEnd =
  | { readonly type: 'left' }
  | { readonly type: 'open'; readonly open: OpenedTarget; readonly state: HomeState };

/** Relative times such as "3 min ago" need a redraw. */
const TICK_MS = 5000;
/** Changes within this time are drawn together. */
const PACE_MS = 50;

/**
 * Shows the home screen until the user quits or opens another screen. The terminal is restored and following has
 * stopped when it resolves.
 */
export async function runHomeScreen(options: HomeScreenOptions): Promise<HomeEnd> {
  const { stdout, style, homeDir, now, before } = options;
  const first =
    before === undefined ? startHome(now()) : homeAgain(before.state, before.told, now());
  const pace = { everyMs: PACE_MS, now: () => performance.now() };
  const store = createStore(first, reduceHome, pace);
  const closing = new AbortController();
  const { ended, finish } = createEnding<HomeEnd>();
  const leave = (): void => finish({ type: 'left' });
  let following: HomeFollowing | undefined;
  const begin = (): void => {
    following = options.follow(
      (news) => store.dispatch({ type: 'news', news, nowMs: now() }),
      (why) => store.dispatch({ type: 'look.ended', why }),
    );
  };
  const again = (): void => {
    if (store.getSnapshot().ended === undefined) {
      following?.again();
      return;
    }
    void following?.close();
    store.dispatch({ type: 'look.began' });
    begin();
  };
  const open = (target: HomeTarget): void => {
    if (store.getSnapshot().opening !== undefined) return;
    store.dispatch({ type: 'opening', target });
    options.prepare(target, closing.signal).then(
      (opened) => {
        if (typeof opened !== 'function') store.dispatch({ type: 'told', told: opened });
        else finish({ type: 'open', open: opened, state: store.getSnapshot() });
      },
      (error: unknown) => {
        if (closing.signal.aborted) return;
        const told = { text: options.explain(error), isFault: true };
        store.dispatch({ type: 'told', told });
      },
    );
  };
  const ticks = setInterval(() => store.dispatch({ type: 'ticked', nowMs: now() }), TICK_MS);
  try {
    return await runAlternate(
      <HomeScreen
        store={store}
        stdout={stdout}
        style={style}
        homeDir={homeDir}
        onOpen={open}
        onAgain={again}
        onLeave={leave}
      />,
      options,
      { begin, ended, leave },
    );
  } finally {
    closing.abort();
    clearInterval(ticks);
    await following?.close();
  }
}

/** What home shows, and the callbacks for its keys. */
interface HomeScreenProps {
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
      // Enter, typed while no screen was mounted.
      '\n': open,
    },
  });
  return <Lines lines={homeFrame(state, { style, homeDir }, size)} />;
}

function openChosen({ store, onOpen }: HomeScreenProps): void {
  onOpen(chosenOf(store).target);
}

/** Keys for agents do nothing on other lines. */
function openOfAgent(
  kind: 'diagnosis' | 'index' | 'search',
  { store, onOpen }: HomeScreenProps,
): void {
  const { target } = chosenOf(store);
  if (target.kind === 'search') onOpen({ kind, agent: target.agent });
}

/** Reads the store: several keys may arrive before the next frame. */
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

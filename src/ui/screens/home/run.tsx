import type { OverviewNews } from '../../../engine/overview/overview-news.js';
import type { Style } from '../../style.js';
import { createEnding } from '../ending.js';
import type { ScreenStreams } from '../mount.js';
import { mountAlternate } from '../mount-alternate.js';
import { createStore } from '../store.js';
import {
  type HomeState,
  type HomeTarget,
  type HomeTold,
  homeAgain,
  reduceHome,
  startHome,
} from './state.js';
import { HomeScreen } from './view.js';

/** Somebody who looks at everything while home is shown. */
export interface HomeFollowing {
  /** Looks at everything anew, now. */
  readonly again: () => void;
  readonly close: () => Promise<void>;
}

/** Begins to look. @param onEnd told when it ends by itself, and why */
export type FollowHome = (
  tell: (news: Partial<OverviewNews>) => void,
  onEnd: (why: string) => void,
) => HomeFollowing;

/** A screen that is ready to be shown; resolves when the person is back, with what came of it. */
export type OpenedTarget = () => Promise<HomeTold | undefined>;

/** What home needs of the command that opens it. */
export interface HomeScreenOptions extends ScreenStreams {
  readonly style: Style;
  readonly homeDir: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly follow: FollowHome;
  /**
   * Loads what a screen needs while home still stands, so that no gap is seen between the two; or says why
   * there is nothing to show.
   */
  readonly prepare: (target: HomeTarget, signal: AbortSignal) => Promise<OpenedTarget | HomeTold>;
  /** A failure, as home tells it. */
  readonly explain: (error: unknown) => string;
  /** Home as it was left for another screen, and what came of that; undefined at first. */
  readonly before: { readonly state: HomeState; readonly told: HomeTold | undefined } | undefined;
  /** Ends the screen from outside; it ends as if the person had left. */
  readonly signal: AbortSignal;
}

/** How home ended: for good, or for another screen. */
export type HomeEnd =
  | { readonly type: 'left' }
  | { readonly type: 'open'; readonly open: OpenedTarget; readonly state: HomeState };

/** "3 min ago" moves on by itself. */
const TICK_MS = 5000;
/** What becomes known together is drawn together. */
const PACE_MS = 50;

/**
 * Shows home until the person leaves, or chooses a screen that is ready. The terminal is restored and
 * nobody looks any more by the time it resolves.
 */
export async function runHomeScreen(options: HomeScreenOptions): Promise<HomeEnd> {
  const { stdout, style, homeDir, now, signal, before } = options;
  const first =
    before === undefined ? startHome(now()) : homeAgain(before.state, before.told, now());
  const pace = { everyMs: PACE_MS, now: () => performance.now() };
  const store = createStore(first, reduceHome, pace);
  const closing = new AbortController();
  const { ended, finish } = createEnding<HomeEnd>();
  const leave = (): void => finish({ type: 'left' });
  const begin = (): HomeFollowing =>
    options.follow(
      (news) => store.dispatch({ type: 'news', news, nowMs: now() }),
      (why) => store.dispatch({ type: 'look.ended', why }),
    );
  let following: HomeFollowing | undefined;
  const again = (): void => {
    if (store.getSnapshot().ended === undefined) {
      following?.again();
      return;
    }
    void following?.close();
    store.dispatch({ type: 'look.began' });
    following = begin();
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
  const screen = mountAlternate(
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
  );
  const ticks = setInterval(() => store.dispatch({ type: 'ticked', nowMs: now() }), TICK_MS);
  signal.addEventListener('abort', leave);
  try {
    // After the first frame, which nothing may hold up.
    following = begin();
    if (signal.aborted) leave();
    return await Promise.race([ended, screen.failed]);
  } finally {
    closing.abort();
    clearInterval(ticks);
    signal.removeEventListener('abort', leave);
    await screen.unmount();
    await following?.close();
  }
}

import type { Style } from '../../style.js';
import { createEnding } from '../ending.js';
import type { ScreenStreams } from '../mount.js';
import { mountAlternate } from '../mount-alternate.js';
import { createStore } from '../store.js';
import {
  createSearchController,
  type SearchScreenActions,
  type SearchScreenEnd,
} from './controller.js';
import { reduceSearchScreen, START_SEARCH_SCREEN } from './state.js';
import { SearchScreen } from './view.js';

/** What the search screen needs of the command that opens it. */
export interface SearchScreenOptions extends ScreenStreams {
  readonly style: Style;
  readonly actions: SearchScreenActions;
  /** Ends the screen from outside (SIGTERM); it ends as if the person had left. */
  readonly signal?: AbortSignal;
}

/** Long enough to skip the letters of a word typed quickly, too short to be felt. */
const DEBOUNCE_MS = 60;
/** Long enough that a provider is asked once for a question and not for each word of it. */
const MEANING_MS = 300;

/**
 * Shows the search screen until the person leaves or opens a result. By the time it resolves, or
 * rejects because the view failed, the terminal is as it was and stdin is free.
 */
export async function runSearchScreen(options: SearchScreenOptions): Promise<SearchScreenEnd> {
  const { stdout, style, actions, signal } = options;
  const store = createStore(START_SEARCH_SCREEN, reduceSearchScreen);
  const { ended, finish } = createEnding<SearchScreenEnd>();
  const controller = createSearchController({
    store,
    actions,
    debounceMs: DEBOUNCE_MS,
    meaningMs: MEANING_MS,
    onEnd: finish,
  });
  const leave = (): void => finish({ type: 'left' });
  signal?.addEventListener('abort', leave);
  const screen = mountAlternate(
    <SearchScreen store={store} stdout={stdout} style={style} dispatch={controller.dispatch} />,
    options,
  );
  try {
    if (signal?.aborted === true) leave();
    return await Promise.race([ended, screen.failed]);
  } finally {
    signal?.removeEventListener('abort', leave);
    controller.close();
    await screen.unmount();
  }
}

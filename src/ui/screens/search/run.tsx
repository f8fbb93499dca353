import { useCursor } from 'ink';
import { type ReactElement, useSyncExternalStore } from 'react';
import { useKeyMap } from '../../components/key-map.js';
import type { Style } from '../../style.js';
import { runAlternate } from '../../terminal/mount-alternate.js';
import type { ScreenStreams } from '../../terminal/session.js';
import { useTerminalSize } from '../../terminal/size.js';
import { createEnding } from '../ending.js';
import { Lines } from '../lines.js';
import { createStore, type Store } from '../store.js';
import {
  createSearchController,
  type SearchScreenActions,
  type SearchScreenEnd,
} from './controller.js';
import { searchFrame } from './frame.js';
import { type SearchIntent, searchKeys } from './keys.js';
import { layoutSearch } from './layout.js';
import {
  reduceSearchScreen,
  type SearchScreenEvent,
  type SearchScreenModel,
  START_SEARCH_SCREEN,
} from './state.js';

/** Options of the search screen. */
export interface SearchScreenOptions extends ScreenStreams {
  readonly style: Style;
  readonly actions: SearchScreenActions;
  /** Closes the screen as if the user had quit, such as on SIGTERM. */
  readonly signal?: AbortSignal;
}

/** Skips the letters of a quickly typed word, without a noticeable delay. */
const DEBOUNCE_MS = 60;
/** Asks a provider once for a question, and not for each word. */
const MEANING_MS = 300;

/**
 * Shows the search screen until the user quits or opens a result. The terminal is restored and stdin released when it
 * settles.
 */
export async function runSearchScreen(options: SearchScreenOptions): Promise<SearchScreenEnd> {
  const { stdout, style, actions } = options;
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
  try {
    return await runAlternate(
      <SearchScreen store={store} stdout={stdout} style={style} dispatch={controller.dispatch} />,
      options,
      { ended, leave },
    );
  } finally {
    controller.close();
  }
}

/** What the search screen shows, and the callbacks for its keys. */
interface SearchScreenProps {
  readonly store: Store<SearchScreenModel, SearchScreenEvent>;
  readonly stdout: NodeJS.WriteStream;
  readonly style: Style;
  readonly dispatch: (intent: SearchIntent) => void;
}

/** The search screen: a pure view of the store; keys become intents. */
function SearchScreen(props: SearchScreenProps): ReactElement {
  const { store, style, dispatch } = props;
  const model = useSyncExternalStore(store.subscribe, store.getSnapshot);
  const size = useTerminalSize(props.stdout);
  const { setCursorPosition } = useCursor();
  useKeyMap(() => searchKeys(store.getSnapshot(), layoutSearch(size).list, dispatch));
  const frame = searchFrame(model, style, size);
  setCursorPosition(frame.cursor);
  return <Lines lines={frame.lines} />;
}

import { deferred } from '../../../engine/support/async.js';
import { createStore } from '../../components/store.js';
import { type RunScreenOptions, runScreen } from '../../terminal/mount-screen.js';
import {
  createSearchController,
  type SearchScreenActions,
  type SearchScreenEnd,
} from './controller.js';
import { INITIAL_SEARCH, reduceSearch, type SearchEvent } from './state.js';
import { SearchScreen } from './view.js';

/** Options of the search screen. */
export interface SearchScreenOptions extends RunScreenOptions {
  /** The name of the memory. */
  readonly memory: string;
  readonly actions: SearchScreenActions;
}

/** Indexing reports every file, and a new preview its layout. */
const PACED: ReadonlySet<SearchEvent['type']> = new Set(['synced', 'previewed', 'laidOut']);
const PACE = {
  everyMs: 30,
  isUrgent: ({ type }: SearchEvent) => !PACED.has(type),
};

/**
 * Shows the search screen until the user quits, or opens a result without an editor. The terminal is restored and stdin
 * released when it settles.
 */
export async function runSearchScreen(options: SearchScreenOptions): Promise<SearchScreenEnd> {
  const { stdout, style, memory, actions } = options;
  const store = createStore(INITIAL_SEARCH, reduceSearch, PACE);
  const { promise: ended, resolve: finish } = deferred<SearchScreenEnd>();
  const controller = createSearchController(store, actions, finish);
  const view = (
    <SearchScreen
      store={store}
      stdout={stdout}
      style={style}
      memory={memory}
      isSemantic={actions.isSemantic}
      dispatch={controller.dispatch}
    />
  );
  try {
    return await runScreen(view, options, {
      begin: controller.begin,
      ended,
      leave: () => finish({ type: 'left' }),
    });
  } finally {
    controller.close();
  }
}

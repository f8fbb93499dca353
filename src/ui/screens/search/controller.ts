import type { SearchResponse, SearchResult } from '../../../engine/memory/search/index.js';
import type { Store } from '../store.js';
import type { SearchIntent } from './keys.js';
import {
  type PassageText,
  type SearchScreenEvent,
  type SearchScreenModel,
  selectedResult,
  type Trouble,
} from './state.js';

/** How the search screen ended; the command opens the editor once the terminal is restored. */
export type SearchScreenEnd =
  | { readonly type: 'left' }
  | { readonly type: 'open'; readonly result: SearchResult };

/** What the search screen can do. */
export interface SearchScreenActions {
  /** Errors are shown; aborted when the query changes. */
  readonly search: (query: string, signal: AbortSignal) => Promise<SearchResponse>;
  /** Keyword search only, which is quick; given if `search` asks a provider, which then waits for a pause in typing. */
  readonly searchWords?: (query: string, signal: AbortSignal) => Promise<SearchResponse>;
  /** The lines around a result's passage, enough for a screen. */
  readonly preview: (result: SearchResult, signal: AbortSignal) => Promise<PassageText>;
  /** Copies the citation and returns a short notice. */
  readonly copy: (result: SearchResult) => Promise<string>;
  /** The message for an error. */
  readonly explain: (error: unknown) => Trouble;
}

/** Options of the controller. */
export interface SearchControllerOptions {
  readonly store: Store<SearchScreenModel, SearchScreenEvent>;
  readonly actions: SearchScreenActions;
  /** Pause in typing before a search, in milliseconds. */
  readonly debounceMs: number;
  /** The same, for a search that asks a provider. */
  readonly meaningMs: number;
  readonly onEnd: (end: SearchScreenEnd) => void;
}

/** Handles the intents of keys. */
export interface SearchController {
  readonly dispatch: (intent: SearchIntent) => void;
  /** Stops everything that is running. */
  readonly close: () => void;
}

/** The latest query and the latest selection win; earlier requests are aborted and ignored. */
export function createSearchController(options: SearchControllerOptions): SearchController {
  const { store, actions, onEnd } = options;
  const searching = createLatest();
  const deepening = createLatest();
  const previewing = createLatest();
  let pause: NodeJS.Timeout | undefined;
  let longPause: NodeJS.Timeout | undefined;
  /** The results on the screen are older than the query. */
  let pending = false;
  /** Enter was pressed meanwhile, and is meant for the results of the current query. */
  let openNext = false;

  const loadPreview = (): void => {
    const result = selectedResult(store.getSnapshot());
    previewing.cancel();
    if (result === undefined) return;
    previewing.run(
      (signal) => actions.preview(result, signal),
      (passage) =>
        store.dispatch({ type: 'previewed', result, preview: { state: 'ready', passage } }),
      (error) => {
        const trouble = actions.explain(error);
        store.dispatch({ type: 'previewed', result, preview: { state: 'failed', trouble } });
      },
    );
  };
  const answered = (response: SearchResponse, refines: boolean): void => {
    pending = false;
    store.dispatch({ type: 'answered', response, refines });
    const best = response.results[0];
    if (openNext && best !== undefined) onEnd({ type: 'open', result: best });
    else loadPreview();
  };
  const search = (query: string): void => {
    const quick = actions.searchWords ?? actions.search;
    searching.run(
      (signal) => quick(query, signal),
      (response) => answered(response, false),
      (error) => {
        pending = false;
        store.dispatch({ type: 'failed', trouble: actions.explain(error) });
      },
    );
  };
  /** The full results replace the quick ones, which must not come later. */
  const deepen = (query: string): void => {
    store.dispatch({ type: 'meaning', looking: true });
    deepening.run(
      (signal) => actions.search(query, signal),
      (response) => {
        searching.cancel();
        store.dispatch({ type: 'meaning', looking: false });
        answered(response, true);
      },
      (error) => {
        store.dispatch({ type: 'meaning', looking: false });
        store.dispatch({ type: 'noticed', notice: actions.explain(error).message });
      },
    );
  };
  const queryChanged = (query: string): void => {
    clearTimeout(pause);
    clearTimeout(longPause);
    searching.cancel();
    deepening.cancel();
    store.dispatch({ type: 'meaning', looking: false });
    pending = query.trim() !== '';
    if (!pending) {
      previewing.cancel();
      store.dispatch({ type: 'cleared' });
      return;
    }
    pause = setTimeout(() => search(query), options.debounceMs);
    if (actions.searchWords === undefined) return;
    longPause = setTimeout(() => deepen(query), options.meaningMs);
  };
  const copy = (result: SearchResult): void => {
    actions.copy(result).then(
      (notice) => store.dispatch({ type: 'noticed', notice }),
      (error: unknown) =>
        store.dispatch({ type: 'noticed', notice: actions.explain(error).message }),
    );
  };

  return {
    dispatch: (intent) => {
      const before = store.getSnapshot();
      const result = selectedResult(before);
      openNext = intent.type === 'open' && pending;
      switch (intent.type) {
        case 'edit':
          store.dispatch({ type: 'edited', edit: intent.edit });
          break;
        case 'move':
          store.dispatch({ type: 'focused', focus: 'list' });
          store.dispatch({ type: 'moved', by: intent.by });
          if (store.getSnapshot().selected !== before.selected) loadPreview();
          break;
        case 'focus':
          store.dispatch({ type: 'focused', focus: intent.focus });
          break;
        case 'help':
          store.dispatch({ type: 'help', shown: intent.shown });
          break;
        case 'copy':
          if (result !== undefined) copy(result);
          break;
        case 'open':
          if (result !== undefined && !pending) onEnd({ type: 'open', result });
          break;
        case 'leave':
          onEnd({ type: 'left' });
      }
      const { input } = store.getSnapshot();
      if (input.text !== before.input.text) queryChanged(input.text);
    },
    close: () => {
      clearTimeout(pause);
      clearTimeout(longPause);
      searching.cancel();
      deepening.cancel();
      previewing.cancel();
    },
  };
}

interface Latest {
  readonly run: <T>(
    work: (signal: AbortSignal) => Promise<T>,
    onValue: (value: T) => void,
    onError: (error: unknown) => void,
  ) => void;
  readonly cancel: () => void;
}

/** Runs one piece of work at a time; older ones never report. */
function createLatest(): Latest {
  let current: AbortController | undefined;
  const cancel = (): void => {
    current?.abort();
    current = undefined;
  };
  return {
    run: (work, onValue, onError) => {
      cancel();
      const own = new AbortController();
      current = own;
      work(own.signal).then(
        (value) => {
          if (current === own) onValue(value);
        },
        (error: unknown) => {
          if (current === own) onError(error);
        },
      );
    },
    cancel,
  };
}

import type { SearchResponse, SearchResult } from '../../../engine/memory/search/types.js';
import type { Store } from '../store.js';
import type { SearchIntent } from './keys.js';
import {
  type PassageText,
  type SearchScreenEvent,
  type SearchScreenModel,
  selectedResult,
  type Trouble,
} from './state.js';

/** How the search screen ended: the command opens the editor once the terminal is its own again. */
export type SearchScreenEnd =
  | { readonly type: 'left' }
  | { readonly type: 'open'; readonly result: SearchResult };

/** What the command does for the search screen. */
export interface SearchScreenActions {
  /** Rejections are shown; aborted when the person has typed on. */
  readonly search: (query: string, signal: AbortSignal) => Promise<SearchResponse>;
  /**
   * The same by words alone, which is quick and asks nobody; there when `search` asks a provider.
   * Then that one waits for a pause in typing.
   */
  readonly searchWords?: (query: string, signal: AbortSignal) => Promise<SearchResponse>;
  /** The lines around a result's passage, enough for a screen. */
  readonly preview: (result: SearchResult, signal: AbortSignal) => Promise<PassageText>;
  /** Copies the citation; says in a few words what was done. */
  readonly copy: (result: SearchResult) => Promise<string>;
  /** Puts anything that was thrown into words. */
  readonly explain: (error: unknown) => Trouble;
}

/** What the controller works with. */
export interface SearchControllerOptions {
  readonly store: Store<SearchScreenModel, SearchScreenEvent>;
  readonly actions: SearchScreenActions;
  /** How long typing must pause before a search starts; milliseconds. */
  readonly debounceMs: number;
  /** The same for a search that asks a provider. */
  readonly meaningMs: number;
  readonly onEnd: (end: SearchScreenEnd) => void;
}

/** Does what the keys ask for. */
export interface SearchController {
  readonly dispatch: (intent: SearchIntent) => void;
  /** Ends whatever still runs. */
  readonly close: () => void;
}

/** The latest query and the latest selection win; what was asked before is aborted and ignored. */
export function createSearchController(options: SearchControllerOptions): SearchController {
  const { store, actions, onEnd } = options;
  const searching = createLatest();
  const deepening = createLatest();
  const previewing = createLatest();
  let pause: NodeJS.Timeout | undefined;
  let longPause: NodeJS.Timeout | undefined;
  /** An answer to what is typed is still to come: the results on the screen are older. */
  let pending = false;
  /** Enter was pressed meanwhile: it means the answer to what is typed. */
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
  /** The whole answer takes the place of the quick one, which must not come after it. */
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

/** Runs one piece of work at a time; an older one never reports, however late it ends. */
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

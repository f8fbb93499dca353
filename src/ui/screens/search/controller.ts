import { setTimeout as sleep } from 'node:timers/promises';
import type { SyncEvent } from '../../../engine/memory/sync/index.js';
import { createLatestTask } from '../../components/latest-task.js';
import type { Store } from '../../components/store.js';
import type { SearchIntent } from './keys.js';
import {
  type Found,
  type PassageText,
  type ResultItem,
  type SearchEvent,
  type SearchState,
  selectedItem,
  type Trouble,
} from './state.js';

/** Lets the frame with the letter be drawn first, and skips the letters of a quickly typed word. */
const DEBOUNCE_MS = 40;
/** Asks a provider once for a question, and not for each word. */
const WHOLE_MS = 300;
/** Pause before a passage is read, in milliseconds. */
const PREVIEW_MS = 40;

/** How the search screen ended: `open` without an editor to come back from. */
export type SearchScreenEnd =
  | { readonly type: 'left' }
  | { readonly type: 'open'; readonly item: ResultItem };

/** How a search is done. */
interface SearchWork {
  readonly signal: AbortSignal;
  /** Keyword search only, which is quick. */
  readonly wordsOnly: boolean;
}

/** What the search screen can do. Errors are shown. */
export interface SearchScreenActions {
  /** Brings the index up to date, so that the first search does not wait for it. */
  readonly prepare: (signal: AbortSignal, onEvent: (event: SyncEvent) => void) => Promise<void>;
  /** Aborted when the query changes. */
  readonly search: (line: string, work: SearchWork) => Promise<Found>;
  /** Whether a search asks a provider. */
  readonly isSemantic: boolean;
  /** The lines around a result's passage, enough for a screen. */
  readonly preview: (item: ResultItem, signal: AbortSignal) => Promise<PassageText>;
  /** Copies it and returns a short notice. */
  readonly copy: (
    item: ResultItem,
    what: (SearchIntent & { type: 'copy' })['what'],
  ) => Promise<string>;
  /** Opens the folder of a result and returns a short notice. */
  readonly openFolder: (item: ResultItem) => Promise<string>;
  /** Opens the editor, which has the terminal until it ends; undefined where there is none. */
  readonly edit: ((item: ResultItem) => Promise<void>) | undefined;
  /** Earlier queries, the newest first. */
  readonly history: () => readonly string[];
  /** Adds a query that led to something. */
  readonly remember: (line: string) => void;
  /** The message for an error. */
  readonly explain: (error: unknown) => Trouble;
}

/** Lends the terminal to another program until it ends. */
type Lend = (work: () => Promise<void>) => Promise<void>;

/** Handles the intents of keys. The latest query and selection win; earlier requests are aborted and ignored. */
export function createSearchController(
  store: Store<SearchState, SearchEvent>,
  actions: SearchScreenActions,
  onEnd: (end: SearchScreenEnd) => void,
) {
  const closing = new AbortController();
  const searching = createLatestTask();
  const deepening = createLatestTask();
  const previewing = createLatestTask();
  let pause: NodeJS.Timeout | undefined;
  let longPause: NodeJS.Timeout | undefined;
  let lend: Lend = (work) => work();
  /** The results on the screen are older than the query. */
  let isPending = false;
  /** Enter was pressed meanwhile, and is meant for the results of the current query. */
  let opensNext = false;
  /** Read once it is needed; the newest first. */
  let history: readonly string[] | undefined;
  /** What was typed before the history. */
  let typed = '';

  const current = (): SearchState => store.getSnapshot();
  const fail = (error: unknown): void => {
    store.dispatch({ type: 'failed', trouble: actions.explain(error) });
  };
  const noteResult = (work: Promise<string | undefined>): void => {
    const note = (text: string, isFault: boolean): void =>
      store.dispatch({ type: 'noted', note: { text, isFault } });
    work.then(
      (text) => text !== undefined && note(text, false),
      (error: unknown) => note(actions.explain(error).message, true),
    );
  };
  const orNote = (work: () => void): void => {
    noteResult(
      new Promise((resolve) => {
        work();
        resolve(undefined);
      }),
    );
  };
  const loadPreview = (): void => {
    const item = selectedItem(current());
    previewing.cancel();
    if (item === undefined) return;
    previewing.run(
      // A key that is held, or the next letter, does not wait for a passage that nobody sees.
      (signal) =>
        sleep(PREVIEW_MS, undefined, { signal }).then(() => actions.preview(item, signal)),
      (content) => store.dispatch({ type: 'previewed', preview: { item, content } }),
      (error) => {
        store.dispatch({ type: 'previewed', preview: { item, content: actions.explain(error) } });
      },
    );
  };
  const answered = (found: Found, isFinal: boolean, isSame: boolean): void => {
    isPending = false;
    store.dispatch({ type: 'answered', found, isFinal, isSame });
    loadPreview();
    const item = selectedItem(current());
    if (opensNext && item !== undefined) open(item);
  };
  const search = (line: string): void => {
    searching.run(
      (signal) => actions.search(line, { signal, wordsOnly: true }),
      (found) => answered(found, false, false),
      (error) => {
        isPending = false;
        fail(error);
      },
    );
  };
  /** The whole results replace the quick ones, which must not come later. */
  const searchWhole = (line: string): void => {
    store.dispatch({ type: 'deepening', on: actions.isSemantic });
    deepening.run(
      (signal) => actions.search(line, { signal, wordsOnly: false }),
      (found) => {
        searching.cancel();
        store.dispatch({ type: 'deepening', on: false });
        answered(found, true, !isPending);
      },
      (error) => {
        store.dispatch({ type: 'deepening', on: false });
        if (selectedItem(current()) === undefined) fail(error);
        else noteResult(Promise.reject(error));
      },
    );
  };
  const queryChanged = (line: string): void => {
    clearTimeout(pause);
    clearTimeout(longPause);
    searching.cancel();
    deepening.cancel();
    store.dispatch({ type: 'deepening', on: false });
    isPending = line.trim() !== '';
    if (!isPending) {
      previewing.cancel();
      store.dispatch({ type: 'cleared' });
      return;
    }
    pause = setTimeout(() => search(line), DEBOUNCE_MS);
    longPause = setTimeout(() => searchWhole(line), WHOLE_MS);
  };
  const remember = (): void => {
    const { input, found } = current();
    if (found?.response === undefined || found.response.results.length === 0) return;
    history = undefined;
    orNote(() => actions.remember(input.text));
  };
  const recall = (by: -1 | 1): void => {
    const { recalled = -1, input } = current();
    if (recalled === -1) typed = input.text;
    orNote(() => {
      history ??= actions.history();
    });
    const at = recalled + by;
    const query = at === -1 ? typed : history?.[at];
    if (query === undefined) return;
    store.dispatch({ type: 'recalled', at: at === -1 ? undefined : at, query });
  };
  const open = (item: ResultItem): void => {
    opensNext = false;
    remember();
    const { edit } = actions;
    if (edit === undefined) {
      onEnd({ type: 'open', item });
      return;
    }
    const work = lend(() => edit(item)).finally(() => {
      // What was edited is searched again.
      if (!closing.signal.aborted) searchWhole(current().input.text);
    });
    noteResult(work.then(() => undefined));
  };

  const act = (intent: SearchIntent): void => {
    const item = selectedItem(current());
    switch (intent.type) {
      case 'recall':
        recall(intent.by);
        break;
      case 'copy':
        remember();
        if (item !== undefined) noteResult(actions.copy(item, intent.what));
        break;
      case 'folder':
        if (item !== undefined) noteResult(actions.openFolder(item));
        break;
      case 'open':
        if (item !== undefined && !isPending) open(item);
        break;
      case 'leave':
        remember();
        onEnd({ type: 'left' });
        break;
      default:
        store.dispatch(intent);
    }
  };
  return {
    begin: (lendTerminal: Lend): void => {
      lend = lendTerminal;
      const onEvent = (event: SyncEvent): void =>
        store.dispatch({ type: 'synced', event, atMs: performance.now() });
      actions.prepare(closing.signal, onEvent).catch((error: unknown) => {
        if (!closing.signal.aborted && current().input.text === '') fail(error);
      });
    },
    dispatch: (intent: SearchIntent): void => {
      const before = current();
      opensNext = intent.type === 'open' && isPending;
      act(intent);
      const { input, list } = current();
      if (input.text !== before.input.text) queryChanged(input.text);
      else if (list.selectedId !== before.list.selectedId) loadPreview();
    },
    /** Stops everything that is running. */
    close: (): void => {
      clearTimeout(pause);
      clearTimeout(longPause);
      closing.abort();
      searching.cancel();
      deepening.cancel();
      previewing.cancel();
    },
  };
}

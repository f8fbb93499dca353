import { setTimeout as sleep } from 'node:timers/promises';
import type { SyncEvent } from '../../../engine/memory/sync/index.js';
import { createLatestTask } from '../../components/latest-task.js';
import type { Store } from '../../components/store.js';
import type { MountedScreen } from '../../terminal/mount-screen.js';
import type { SearchIntent } from './keys.js';
import {
  type PassageText,
  type ResultItem,
  type SearchAnswer,
  type SearchEvent,
  type SearchFault,
  type SearchState,
  selectedItem,
} from './state.js';

/** Lets the frame with the typed letter be drawn first, and skips the letters of a quickly typed word. */
const DEBOUNCE_MS = 40;
/** A provider is asked once for a query, not for each word of it. */
const FULL_SEARCH_MS = 300;
/** Pause before a passage is read, in milliseconds. */
const PREVIEW_MS = 40;

/** How the search screen ended: `open` without an editor to come back from. */
export type SearchScreenEnd =
  | { readonly type: 'left' }
  | { readonly type: 'open'; readonly item: ResultItem };

interface SearchWork {
  readonly signal: AbortSignal;
  /** Skips semantic search, which is slower. */
  readonly keywordsOnly: boolean;
}

/** Calls that the search screen makes. It shows their errors. */
export interface SearchScreenActions {
  /** Updates the index, so that the first search does not wait for it. */
  readonly prepare: (signal: AbortSignal, onEvent: (event: SyncEvent) => void) => Promise<void>;
  /** Aborted when the query changes. */
  readonly search: (line: string, work: SearchWork) => Promise<SearchAnswer>;
  /** Whether a search asks a provider. */
  readonly isSemantic: boolean;
  /** Reads the lines around a result's passage, enough for a screen. */
  readonly preview: (item: ResultItem, signal: AbortSignal) => Promise<PassageText>;
  /** @returns a short notice */
  readonly copy: (
    item: ResultItem,
    what: (SearchIntent & { type: 'copy' })['what'],
  ) => Promise<string>;
  /** Opens the folder of a result. @returns a short notice */
  readonly openFolder: (item: ResultItem) => Promise<string>;
  /** Opens the editor, which has the terminal until it ends; undefined where there is none. */
  readonly edit: ((item: ResultItem) => Promise<void>) | undefined;
  /** Earlier queries, the newest first. */
  readonly history: () => readonly string[];
  /** Adds a query that had results to the history. */
  readonly remember: (line: string) => void;
  readonly explain: (error: unknown) => SearchFault;
}

/** Work that begins after a pause, unless it is aborted before. */
function after<T>(pauseMs: number, work: (signal: AbortSignal) => Promise<T>) {
  return async (signal: AbortSignal): Promise<T> => {
    await sleep(pauseMs, undefined, { signal });
    return work(signal);
  };
}

/** Handles the intents of keys. Only the latest query and selection count; earlier requests are aborted. */
export function createSearchController(
  store: Store<SearchState, SearchEvent>,
  actions: SearchScreenActions,
  onEnd: (end: SearchScreenEnd) => void,
) {
  const closing = new AbortController();
  const keywordTask = createLatestTask();
  const fullTask = createLatestTask();
  const previewTask = createLatestTask();
  let lend: MountedScreen['lend'] = (work) => work();
  /** Whether the results of the query have yet to arrive. */
  let isPending = false;
  /** Enter was pressed while they were pending, and is meant for them. */
  let opensWhenAnswered = false;
  /** Read when it is needed; the newest first. */
  let history: readonly string[] | undefined;
  /** What was typed before a query was recalled. */
  let draft = '';

  const current = (): SearchState => store.getSnapshot();
  const fail = (error: unknown): void => {
    store.dispatch({ type: 'failed', fault: actions.explain(error) });
  };
  const note = (text: string, isFault: boolean): void =>
    store.dispatch({ type: 'noted', note: { text, isFault } });
  const noteError = (error: unknown): void => note(actions.explain(error).message, true);
  const noteResult = (work: Promise<string>): void => {
    work.then((text) => note(text, false), noteError);
  };
  const tryOrNote = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      noteError(error);
    }
  };
  const loadPreview = (): void => {
    const item = selectedItem(current());
    previewTask.cancel();
    if (item === undefined) return;
    previewTask.run(
      // While a key is held or letters are typed, passages that nobody would see are not read.
      after(PREVIEW_MS, (signal) => actions.preview(item, signal)),
      (content) => store.dispatch({ type: 'previewed', preview: { item, content } }),
      (error) => {
        store.dispatch({ type: 'previewed', preview: { item, content: actions.explain(error) } });
      },
    );
  };
  const showAnswer = (event: Omit<Extract<SearchEvent, { type: 'answered' }>, 'type'>): void => {
    isPending = false;
    store.dispatch({ type: 'answered', ...event });
    loadPreview();
    const item = selectedItem(current());
    if (opensWhenAnswered && item !== undefined) open(item);
  };
  const searchKeywords = (line: string): void => {
    keywordTask.run(
      after(DEBOUNCE_MS, (signal) => actions.search(line, { signal, keywordsOnly: true })),
      (answer) => showAnswer({ answer, isFinal: false, isSame: false }),
      (error) => {
        isPending = false;
        fail(error);
      },
    );
  };
  /** The full results replace those of keyword search, which must not arrive later. */
  const searchFully = (line: string, delayMs = 0): void => {
    fullTask.run(
      after(delayMs, (signal) => {
        store.dispatch({ type: 'fullSearch', isPending: actions.isSemantic });
        return actions.search(line, { signal, keywordsOnly: false });
      }),
      (answer) => {
        keywordTask.cancel();
        store.dispatch({ type: 'fullSearch', isPending: false });
        showAnswer({ answer, isFinal: true, isSame: !isPending });
      },
      (error) => {
        store.dispatch({ type: 'fullSearch', isPending: false });
        if (selectedItem(current()) === undefined) fail(error);
        else noteError(error);
      },
    );
  };
  const queryChanged = (line: string): void => {
    keywordTask.cancel();
    fullTask.cancel();
    store.dispatch({ type: 'fullSearch', isPending: false });
    isPending = line.trim() !== '';
    if (!isPending) {
      previewTask.cancel();
      store.dispatch({ type: 'cleared' });
      return;
    }
    searchKeywords(line);
    searchFully(line, FULL_SEARCH_MS);
  };
  const remember = (): void => {
    const { input, answer } = current();
    if (answer?.response === undefined || answer.response.results.length === 0) return;
    history = undefined;
    tryOrNote(() => actions.remember(input.text));
  };
  const recall = (by: -1 | 1): void => {
    const { historyAt = -1, input } = current();
    if (historyAt === -1) draft = input.text;
    tryOrNote(() => {
      history ??= actions.history();
    });
    const at = historyAt + by;
    const query = at === -1 ? draft : history?.[at];
    if (query === undefined) return;
    store.dispatch({ type: 'recalled', at: at === -1 ? undefined : at, query });
  };
  const open = (item: ResultItem): void => {
    opensWhenAnswered = false;
    remember();
    const { edit } = actions;
    if (edit === undefined) {
      onEnd({ type: 'open', item });
      return;
    }
    lend(() => edit(item))
      .finally(() => {
        // The results may have been edited.
        if (!closing.signal.aborted) searchFully(current().input.text);
      })
      .catch(noteError);
  };
  const handle = (intent: SearchIntent): void => {
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
    begin: (screen: Pick<MountedScreen, 'lend'>): void => {
      lend = screen.lend;
      const onEvent = (event: SyncEvent): void =>
        store.dispatch({ type: 'synced', event, atMs: performance.now() });
      actions.prepare(closing.signal, onEvent).catch((error: unknown) => {
        if (!closing.signal.aborted && current().input.text === '') fail(error);
      });
    },
    dispatch: (intent: SearchIntent): void => {
      const before = current();
      opensWhenAnswered = intent.type === 'open' && isPending;
      handle(intent);
      const { input, list } = current();
      if (input.text !== before.input.text) queryChanged(input.text);
      else if (list.selectedId !== before.list.selectedId) loadPreview();
    },
    close: (): void => {
      closing.abort();
      keywordTask.cancel();
      fullTask.cancel();
      previewTask.cancel();
    },
  };
}

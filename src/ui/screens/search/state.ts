import type { Warning } from '../../../engine/errors/index.js';
import type {
  SearchResponse,
  SearchResult,
  TextSpan,
} from '../../../engine/memory/search/index.js';
import type { SyncEvent } from '../../../engine/memory/sync/index.js';
import {
  type EditedLine,
  EMPTY_LINE,
  editLine,
  type LineEdit,
} from '../../components/line-editor.js';
import {
  deselect,
  EMPTY_LIST,
  type ListEvent,
  type ListItem,
  type ListState,
  listView,
  reduceList,
} from '../../components/list-state.js';
import type { Note } from '../../components/screen.js';
import { reduceSync, type SyncProgress, startSyncProgress } from '../../memory/sync-progress.js';

/** The answer to a query. */
export interface SearchAnswer {
  /** Undefined if the query has only filters. */
  readonly response: SearchResponse | undefined;
  readonly memory: string;
  /** The filters of the query as they were typed. */
  readonly chips: readonly string[];
}

/** A result in the list. */
export interface ResultItem extends ListItem {
  readonly result: SearchResult;
}

/** Lines of a document around a passage, as they are in the file now. */
export interface PassageText {
  /** 1-based number of the first line of `text`. */
  readonly startLine: number;
  readonly text: string;
  /** The number of each line, if they are not consecutive. */
  readonly lineNumbers?: readonly number[];
}

/** Why a search or a preview failed. */
export type SearchFault = Pick<Warning, 'hint' | 'message'>;

/** A passage in its document, or why it cannot be shown. */
interface Preview {
  readonly item: ResultItem;
  readonly content: PassageText | SearchFault;
}

interface MarkedPreview extends Preview {
  /** The words that were found when it was read; each answer reads the preview again. */
  readonly words: readonly string[];
}

/** Where the rows of the preview are, as last drawn. */
export interface PreviewLayout {
  /** Number of rows that are visible, and of all rows. */
  readonly rows: number;
  readonly length: number;
  /** The row that is first while nobody has scrolled. */
  readonly first: number;
  /** The row of each match. */
  readonly matches: readonly number[];
}

/** The state of the search screen. */
export interface SearchState {
  readonly input: EditedLine;
  /** Whether letters are typed into the input or act on the list. */
  readonly focus: 'input' | 'list';
  readonly isHelpOpen: boolean;
  /** The last answer, kept until the next one arrives, so that nothing flickers. */
  readonly answer: SearchAnswer | undefined;
  readonly list: ListState<ResultItem>;
  /** Why the search failed. */
  readonly fault: SearchFault | undefined;
  /** A provider is being asked; the results so far are from keyword search. */
  readonly isFullSearchPending: boolean;
  /** Undefined unless the index is being updated. */
  readonly progress: SyncProgress | undefined;
  readonly preview: MarkedPreview | undefined;
  readonly layout: PreviewLayout;
  /** First visible row of the preview. Undefined until someone scrolls; the passage is visible then. */
  readonly top: number | undefined;
  /** The match that was jumped to. */
  readonly match: number | undefined;
  readonly showsExplanation: boolean;
  /** The place of the query in the history, 0 for the newest; undefined if it was typed. */
  readonly historyAt: number | undefined;
  readonly note: Note | undefined;
}

/** Events of the search screen. */
export type SearchEvent =
  | { readonly type: 'edited'; readonly edit: LineEdit }
  | { readonly type: 'recalled'; readonly at: number | undefined; readonly query: string }
  | { readonly type: 'focused'; readonly focus: 'input' | 'list' }
  | { readonly type: 'list'; readonly event: ListEvent<ResultItem> }
  | { readonly type: 'scrolled'; readonly by: number }
  | { readonly type: 'jumped'; readonly by: -1 | 1 }
  | { readonly type: 'laidOut'; readonly layout: PreviewLayout }
  | { readonly type: 'help'; readonly on: boolean }
  | { readonly type: 'explained' }
  | { readonly type: 'cleared' }
  /** `isFinal`: the query is complete, as far as is known. `isSame`: it is the query of the results shown. */
  | {
      readonly type: 'answered';
      readonly answer: SearchAnswer;
      readonly isFinal: boolean;
      readonly isSame: boolean;
    }
  | { readonly type: 'fullSearch'; readonly isPending: boolean }
  | { readonly type: 'synced'; readonly event: SyncEvent; readonly atMs: number }
  | { readonly type: 'failed'; readonly fault: SearchFault }
  | { readonly type: 'previewed'; readonly preview: Preview }
  | { readonly type: 'noted'; readonly note: Note };

export const INITIAL_SEARCH: SearchState = {
  input: EMPTY_LINE,
  focus: 'input',
  isHelpOpen: false,
  answer: undefined,
  list: EMPTY_LIST,
  fault: undefined,
  isFullSearchPending: false,
  progress: undefined,
  preview: undefined,
  layout: { rows: 1, length: 0, first: 0, matches: [] },
  top: undefined,
  match: undefined,
  showsExplanation: false,
  historyAt: undefined,
  note: undefined,
};

/** The result that keys act on, if any. */
export function selectedItem({ list }: SearchState): ResultItem | undefined {
  return listView(list).selected;
}

/** The first visible row of the preview. */
export function previewTop(
  { top }: Pick<SearchState, 'top'>,
  { first, rows, length }: PreviewLayout,
): number {
  return Math.max(0, Math.min(top ?? first, length - rows));
}

/** The screen after an event; pure, and the same object if nothing changes. A key removes the note. */
export function reduceSearch(state: SearchState, event: SearchEvent): SearchState {
  switch (event.type) {
    case 'edited':
      return edited(state, event.edit);
    case 'recalled': {
      const input = { text: event.query, cursor: event.query.length };
      return { ...state, input, historyAt: event.at, note: undefined };
    }
    case 'focused': {
      const focus = selectedItem(state) === undefined ? 'input' : event.focus;
      return focus === state.focus ? state : { ...state, focus, note: undefined };
    }
    case 'list': {
      const list = reduceList(state.list, event.event);
      if (list === state.list) return state;
      return { ...state, list, note: event.event.type === 'sized' ? state.note : undefined };
    }
    case 'scrolled': {
      const before = previewTop(state, state.layout);
      const top = previewTop({ top: before + event.by }, state.layout);
      return top === before ? state : { ...state, top };
    }
    case 'jumped':
      return jumpToMatch(state, event.by);
    case 'laidOut':
      return { ...state, layout: event.layout };
    case 'help':
      return { ...state, isHelpOpen: event.on, note: undefined };
    case 'explained':
      return { ...state, showsExplanation: !state.showsExplanation };
    case 'cleared':
      return { ...withoutResults(state), answer: undefined };
    case 'answered':
      return answered(state, event);
    case 'fullSearch':
      return state.isFullSearchPending === event.isPending
        ? state
        : { ...state, isFullSearchPending: event.isPending };
    case 'synced':
      return synced(state, event.event, event.atMs);
    case 'failed':
      return {
        ...withoutResults(state),
        answer: undefined,
        progress: undefined,
        fault: event.fault,
      };
    case 'previewed':
      return previewed(state, event.preview);
    case 'noted':
      return { ...state, note: event.note };
  }
}

function withoutResults(state: SearchState): SearchState {
  return {
    ...state,
    focus: 'input',
    fault: undefined,
    list: { ...EMPTY_LIST, rows: state.list.rows },
    preview: undefined,
    top: undefined,
    match: undefined,
  };
}

function edited(state: SearchState, edit: LineEdit): SearchState {
  const input = editLine(state.input, edit);
  if (input === state.input && state.focus === 'input') return state;
  const historyAt = input.text === state.input.text ? state.historyAt : undefined;
  return { ...state, input, historyAt, focus: 'input', note: undefined };
}

/** Jumps to the next match, or first to the one next to the visible top, and scrolls it to a third of the height. */
function jumpToMatch(state: SearchState, by: -1 | 1): SearchState {
  const { matches, rows } = state.layout;
  if (matches.length === 0) return state;
  const top = previewTop(state, state.layout);
  const firstVisible = matches.findIndex((row) => row >= top);
  const next = state.match === undefined ? Math.max(0, firstVisible) : state.match + by;
  const match = (next + matches.length) % matches.length;
  return { ...state, match, top: (matches[match] ?? 0) - Math.floor(rows / 3), note: undefined };
}

/** An empty answer changes nothing yet while a word is still being typed. */
function answered(
  state: SearchState,
  { answer, isFinal, isSame }: Extract<SearchEvent, { readonly type: 'answered' }>,
): SearchState {
  const results = answer.response?.results ?? [];
  if (results.length === 0) {
    const keeps = !isFinal && state.fault === undefined;
    return keeps ? state : { ...withoutResults(state), answer };
  }
  const items = results.map((result) => {
    const { origin = '', path, startLine } = result;
    return { id: `${origin}:${path}:${startLine}`, text: '', result };
  });
  const before = isSame ? state.list : deselect(state.list);
  const list = reduceList(before, { type: 'replaced', items });
  return { ...state, answer, list, fault: undefined };
}

function synced(state: SearchState, event: SyncEvent, atMs: number): SearchState {
  if (event.type === 'sync.finished') {
    return state.progress === undefined ? state : { ...state, progress: undefined };
  }
  return { ...state, progress: reduceSync(state.progress ?? startSyncProgress(atMs), event, atMs) };
}

function previewed(state: SearchState, { item, content }: Preview): SearchState {
  // Another result has been selected since.
  if (selectedItem(state)?.id !== item.id) return state;
  const isSame = state.preview?.item.id === item.id;
  const preview = { item, content, words: foundWords(state) };
  return isSame ? { ...state, preview } : { ...state, preview, top: undefined, match: undefined };
}

/** The words that were found, in lower case. */
function foundWords({ answer }: SearchState): readonly string[] {
  const marked = (answer?.response?.results ?? []).flatMap(({ snippet, highlights }) =>
    highlights.map(({ start, end }: TextSpan) => snippet.slice(start, end).toLowerCase()),
  );
  return [...new Set(marked)];
}

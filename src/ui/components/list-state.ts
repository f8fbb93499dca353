import { type EditedLine, EMPTY_LINE, editLine, type LineEdit } from './line-editor.js';

/** An entry of a list. */
export interface ListItem {
  /** Stays the same when the entry changes. */
  readonly id: string;
  /** What a filter searches. */
  readonly text: string;
}

/** A list of which one entry is selected; views read it through {@link listView}. */
export interface ListState<Item extends ListItem> {
  readonly items: readonly Item[];
  readonly filter: EditedLine;
  /** Whether keys are typed into the filter. */
  readonly isFiltering: boolean;
  /** Undefined until someone moves: the first entry is selected then, so that the newest one stays selected. */
  readonly selectedId: string | undefined;
  /** Place of the selected entry when the list was last changed, for the case that it disappears. */
  readonly at: number;
  /** Place of the first visible entry. */
  readonly top: number;
  /** Number of entries that fit, as last drawn. */
  readonly rows: number;
}

/** Where a key moves the selection. */
export type ListMove = 'down' | 'first' | 'last' | 'pageDown' | 'pageUp' | 'up';

/** Events of a list. */
export type ListEvent<Item extends ListItem> =
  | { readonly type: 'replaced'; readonly items: readonly Item[] }
  | { readonly type: 'moved'; readonly to: ListMove }
  | { readonly type: 'selected'; readonly id: string }
  | { readonly type: 'filtering'; readonly on: boolean }
  | { readonly type: 'filtered'; readonly edit: LineEdit }
  | { readonly type: 'unfiltered' }
  | { readonly type: 'sized'; readonly rows: number };

export const EMPTY_LIST: ListState<never> = {
  items: [],
  filter: EMPTY_LINE,
  isFiltering: false,
  selectedId: undefined,
  at: 0,
  top: 0,
  rows: 1,
};

/**
 * The entries that match the filter, and what of them is visible in so many rows: the selected one always is.
 *
 * @returns `at` is the place of the selected entry among the matching ones, -1 in an empty list; `above` and `below` count
 *   the entries that are not visible
 */
export function listView<Item extends ListItem>(state: ListState<Item>, rows = state.rows) {
  const matching = matchingItems(state);
  const at = placeOf(state, matching);
  const top = visibleTop(state.top, at, matching.length, rows);
  const visible = matching.slice(top, top + Math.max(0, rows));
  const below = matching.length - top - visible.length;
  return { matching, at, selected: matching[at], visible, above: top, below };
}

/** The list after an event; pure, and the same object if nothing changes. */
export function reduceList<Item extends ListItem>(
  state: ListState<Item>,
  event: ListEvent<Item>,
): ListState<Item> {
  switch (event.type) {
    case 'replaced':
      return keepSelection(state, { ...state, items: event.items });
    case 'moved':
      return moveSelection(state, event.to);
    case 'selected':
      return selectItem(state, event.id);
    case 'filtering':
      return event.on === state.isFiltering ? state : { ...state, isFiltering: event.on };
    case 'filtered': {
      const filter = editLine(state.filter, event.edit);
      if (filter === state.filter) return state;
      return filter.text === state.filter.text
        ? { ...state, filter }
        : keepSelection(state, { ...state, filter });
    }
    case 'unfiltered': {
      const closed = reduceList(state, { type: 'filtering', on: false });
      return closed.filter.text === ''
        ? closed
        : keepSelection(closed, { ...closed, filter: EMPTY_LINE });
    }
    case 'sized':
      return event.rows === state.rows ? state : { ...state, rows: event.rows };
  }
}

/** The list from its top, for other entries than before. */
export function deselect<Item extends ListItem>(state: ListState<Item>): ListState<Item> {
  return { ...state, selectedId: undefined, at: 0, top: 0 };
}

/** Entries that contain all words of the filter, in any case. */
function matchingItems<Item extends ListItem>({ items, filter }: ListState<Item>): readonly Item[] {
  const words = filter.text.toLowerCase().split(/\s+/u).filter(Boolean);
  if (words.length === 0) return items;
  const matching = items.filter(({ text }) => {
    const searched = text.toLowerCase();
    return words.every((word) => searched.includes(word));
  });
  // Typing the name of an entry, later words of its id or how some begin selects it before others that only mention it.
  const typed = words.join(' ');
  const rankOf = ({ id, text }: Item): number => {
    if (text.toLowerCase().startsWith(typed)) return 0;
    if (id.toLowerCase().includes(` ${typed}`)) return 1;
    return abbreviates(words, id.toLowerCase()) ? 2 : 3;
  };
  return matching.toSorted((a, b) => rankOf(a) - rankOf(b));
}

/** Whether each word begins one of an id, in their order. */
function abbreviates(words: readonly string[], id: string): boolean {
  const parts = id.split(' ');
  let next = 0;
  return words.every((word) => {
    const at = parts.findIndex((part, place) => place >= next && part.startsWith(word));
    next = at + 1;
    return at !== -1;
  });
}

/** An entry that disappeared leaves its place to the next one. */
function placeOf(
  { selectedId, at }: Pick<ListState<ListItem>, 'at' | 'selectedId'>,
  matching: readonly ListItem[],
): number {
  if (selectedId === undefined) return matching.length === 0 ? -1 : 0;
  const found = matching.findIndex(({ id }) => id === selectedId);
  return found === -1 ? Math.min(at, matching.length - 1) : found;
}

function visibleTop(top: number, at: number, length: number, rows: number): number {
  const last = Math.max(0, length - rows);
  return Math.max(0, Math.min(Math.max(Math.min(top, at), at - Math.max(1, rows) + 1), last));
}

/** Keeps the selected entry, and its row on the screen, after the entries changed. */
function keepSelection<Item extends ListItem>(
  before: ListState<Item>,
  after: ListState<Item>,
): ListState<Item> {
  const view = listView(before);
  const atBefore = Math.max(0, view.at);
  const matching = matchingItems(after);
  const at = placeOf({ selectedId: after.selectedId, at: atBefore }, matching);
  const selectedId =
    after.selectedId === undefined ? undefined : (matching[at]?.id ?? after.selectedId);
  const top = Math.max(0, view.above + at - atBefore);
  return { ...after, selectedId, at: Math.max(0, at), top };
}

function moveSelection<Item extends ListItem>(
  state: ListState<Item>,
  to: ListMove,
): ListState<Item> {
  const { matching, at } = listView(state);
  const next = Math.min(Math.max(at + stepOf(to, state.rows), 0), matching.length - 1);
  const item = matching[next];
  return item === undefined ? state : selectItem(state, item.id);
}

function selectItem<Item extends ListItem>(state: ListState<Item>, id: string): ListState<Item> {
  const { matching, above } = listView(state);
  const at = matching.findIndex((item) => item.id === id);
  if (at === -1 || id === state.selectedId) return state;
  const top = visibleTop(above, at, matching.length, state.rows);
  return { ...state, selectedId: id, at, top };
}

/** By how many entries a key moves, at most. @param rows how many are visible */
export function stepOf(to: ListMove, rows: number): number {
  const page = Math.max(1, rows - 1);
  const all = Number.POSITIVE_INFINITY;
  return { up: -1, down: 1, pageUp: -page, pageDown: page, first: -all, last: all }[to];
}

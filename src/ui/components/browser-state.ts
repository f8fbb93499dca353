import {
  EMPTY_LIST,
  type ListEvent,
  type ListItem,
  type ListState,
  reduceList,
} from './list-state.js';
import { PANE_TOP, type PaneEvent, type PaneLine, type PaneState, reducePane } from './pane.js';
import type { Note } from './status-bar.js';

/** A list whose entries can be opened and acted on. */
export interface BrowserState<Item extends ListItem> {
  readonly list: ListState<Item>;
  /** Number of entries including those that were not read; undefined until the list was read. */
  readonly total: number | undefined;
  /** Index into the choices of what to list. */
  readonly choice: number;
  /** Whether keys are typed into the filter. */
  readonly isFiltering: boolean;
  /** The entry whose details are shown. */
  readonly opened: OpenedItem<Item> | undefined;
  /** The action that waits for a confirmation. */
  readonly asked: AskedAction<Item> | undefined;
  readonly note: Note | undefined;
  readonly isHelp: boolean;
}

interface OpenedItem<Item> {
  readonly item: Item;
  /** Undefined until they were read. */
  readonly lines: readonly PaneLine[] | undefined;
  readonly pane: PaneState;
}

interface AskedAction<Item> {
  /** The key of the action. */
  readonly key: string;
  readonly item: Item;
  readonly question: string;
}

/** Events of the browser. */
export type BrowserEvent<Item extends ListItem> =
  | {
      readonly type: 'listed';
      readonly choice: number;
      readonly items: readonly Item[];
      readonly total: number;
    }
  | { readonly type: 'chosen'; readonly choice: number }
  | { readonly type: 'list'; readonly event: ListEvent<Item> }
  | { readonly type: 'filtering'; readonly on: boolean }
  | { readonly type: 'opened'; readonly item: Item }
  | { readonly type: 'read'; readonly id: string; readonly lines: readonly PaneLine[] }
  | { readonly type: 'pane'; readonly event: PaneEvent }
  | { readonly type: 'closed' }
  | { readonly type: 'asked'; readonly action: AskedAction<Item> | undefined }
  | { readonly type: 'noted'; readonly note: Note }
  | { readonly type: 'help'; readonly on: boolean };

/** A browser before its list was read. */
export function startBrowser<Item extends ListItem>(): BrowserState<Item> {
  return {
    list: EMPTY_LIST,
    total: undefined,
    choice: 0,
    isFiltering: false,
    opened: undefined,
    asked: undefined,
    note: undefined,
    isHelp: false,
  };
}

/** The browser after an event; pure, and the same object if nothing changes. A key removes the note. */
export function reduceBrowser<Item extends ListItem>(
  state: BrowserState<Item>,
  event: BrowserEvent<Item>,
): BrowserState<Item> {
  switch (event.type) {
    case 'listed':
      return event.choice === state.choice ? listed(state, event.items, event.total) : state;
    case 'chosen': {
      const list = { ...state.list, selected: undefined, at: 0, top: 0 };
      return { ...state, choice: event.choice, list, note: undefined };
    }
    case 'list': {
      const list = reduceList(state.list, event.event);
      const note = event.event.type === 'sized' ? state.note : undefined;
      return list === state.list && note === state.note ? state : { ...state, list, note };
    }
    case 'filtering':
      return { ...state, isFiltering: event.on, note: undefined };
    case 'opened': {
      const opened = { item: event.item, lines: undefined, pane: PANE_TOP };
      return { ...state, opened, note: undefined };
    }
    case 'read':
      return state.opened?.item.id === event.id
        ? { ...state, opened: { ...state.opened, lines: event.lines } }
        : state;
    case 'pane':
      return paneChanged(state, event.event);
    case 'closed':
      return { ...state, opened: undefined, note: undefined };
    case 'asked':
      return { ...state, asked: event.action, note: undefined };
    case 'noted':
      return { ...state, note: event.note };
    case 'help':
      return { ...state, isHelp: event.on, note: undefined };
  }
}

/** What is shown in detail stays, even if it is no longer in the list. */
function listed<Item extends ListItem>(
  state: BrowserState<Item>,
  items: readonly Item[],
  total: number,
): BrowserState<Item> {
  const list = reduceList(state.list, { type: 'replaced', items });
  const { opened } = state;
  const item = items.find(({ id }) => id === opened?.item.id);
  const after = { ...state, list, total };
  return opened === undefined || item === undefined
    ? after
    : { ...after, opened: { ...opened, item } };
}

function paneChanged<Item extends ListItem>(
  state: BrowserState<Item>,
  event: PaneEvent,
): BrowserState<Item> {
  const { opened } = state;
  if (opened === undefined) return state;
  const pane = reducePane(opened.pane, event);
  const note = event.type === 'sized' ? state.note : undefined;
  return pane === opened.pane && note === state.note
    ? state
    : { ...state, opened: { ...opened, pane }, note };
}

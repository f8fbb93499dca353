import {
  deselect,
  EMPTY_LIST,
  type ListEvent,
  type ListItem,
  type ListState,
  reduceList,
} from './list-state.js';
import { PANE_TOP, type PaneEvent, type PaneState, type PaneText, reducePane } from './pane.js';
import type { Note } from './screen.js';

/** A list whose entries can be opened and acted on. */
export interface BrowserState<Item extends ListItem> {
  readonly list: ListState<Item>;
  /** Number of entries including those that were not read; undefined until the list was read. */
  readonly total: number | undefined;
  /** Index into the choices of what to list. */
  readonly choice: number;
  /** The details of the selected entry are always shown, not only once it is opened. */
  readonly hasPreview: boolean;
  readonly details: BrowserDetails<Item> | undefined;
  /** The details have the keys, and the place of the list where there is no room for both. */
  readonly isOpen: boolean;
  /** The action that waits for a confirmation. */
  readonly pendingAction: PendingAction<Item> | undefined;
  readonly note: Note | undefined;
  readonly isHelpOpen: boolean;
}

interface BrowserDetails<Item> {
  readonly item: Item;
  /** Undefined until it was read. */
  readonly text: PaneText | undefined;
  readonly pane: PaneState;
}

interface PendingAction<Item> {
  readonly key: string;
  readonly item: Item;
  readonly question: string;
  /** What it changes. */
  readonly text: PaneText | undefined;
  readonly pane: PaneState;
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
  | { readonly type: 'opened'; readonly item: Item }
  | { readonly type: 'previewed'; readonly item: Item | undefined }
  | { readonly type: 'read'; readonly id: string; readonly text: PaneText }
  | { readonly type: 'pane'; readonly event: PaneEvent }
  | { readonly type: 'closed' }
  | { readonly type: 'asked'; readonly action: Omit<PendingAction<Item>, 'pane'> | undefined }
  | { readonly type: 'noted'; readonly note: Note | undefined }
  | { readonly type: 'help'; readonly on: boolean };

/** A browser before its list was read. */
export function initialBrowser<Item extends ListItem>(hasPreview = false): BrowserState<Item> {
  return {
    list: EMPTY_LIST,
    total: undefined,
    choice: 0,
    hasPreview,
    details: undefined,
    isOpen: false,
    pendingAction: undefined,
    note: undefined,
    isHelpOpen: false,
  };
}

/** The browser after an event; pure, and the same object if nothing changes. A key removes the note. */
export function reduceBrowser<Item extends ListItem>(
  state: BrowserState<Item>,
  event: BrowserEvent<Item>,
): BrowserState<Item> {
  switch (event.type) {
    case 'listed':
      return event.choice === state.choice ? replaceItems(state, event.items, event.total) : state;
    case 'chosen':
      return { ...state, choice: event.choice, list: deselect(state.list), note: undefined };
    case 'list':
      return changeList(state, event.event);
    case 'opened': {
      if (state.pendingAction !== undefined) return state;
      const details =
        state.details?.item.id === event.item.id ? state.details : unreadDetails(event.item);
      return { ...state, details, isOpen: true, note: undefined };
    }
    case 'previewed': {
      const details = event.item === undefined ? undefined : unreadDetails(event.item);
      return { ...state, details, isOpen: state.isOpen && details !== undefined };
    }
    case 'read':
      return state.details?.item.id === event.id
        ? { ...state, details: { ...state.details, text: event.text } }
        : state;
    case 'pane':
      return changePane(state, event.event);
    case 'closed': {
      const details = state.hasPreview ? state.details : undefined;
      return { ...state, details, isOpen: false, note: undefined };
    }
    case 'asked': {
      const pending = event.action && { ...event.action, pane: PANE_TOP };
      return { ...state, pendingAction: pending, note: undefined };
    }
    case 'noted':
      return { ...state, note: event.note };
    case 'help':
      return { ...state, isHelpOpen: event.on, note: undefined };
  }
}

function unreadDetails<Item>(item: Item): BrowserDetails<Item> {
  return { item, text: undefined, pane: PANE_TOP };
}

/** The details stay, even if their entry is no longer in the list. */
function replaceItems<Item extends ListItem>(
  state: BrowserState<Item>,
  items: readonly Item[],
  total: number,
): BrowserState<Item> {
  const list = reduceList(state.list, { type: 'replaced', items });
  const { details } = state;
  const item = items.find(({ id }) => id === details?.item.id);
  return details === undefined || item === undefined
    ? { ...state, list, total }
    : { ...state, list, total, details: { ...details, item } };
}

/** What is next to the list, or in its place: what the action to confirm changes, otherwise the details. */
export function paneContent<Item extends ListItem>({
  pendingAction,
  details,
}: BrowserState<Item>): PendingAction<Item> | BrowserDetails<Item> | undefined {
  return pendingAction?.text === undefined ? details : pendingAction;
}

function changeList<Item extends ListItem>(
  state: BrowserState<Item>,
  event: ListEvent<Item>,
): BrowserState<Item> {
  const isSize = event.type === 'sized';
  // A click must not select another entry than the question is about.
  if (state.pendingAction !== undefined && !isSize) return state;
  const list = reduceList(state.list, event);
  const note = isSize ? state.note : undefined;
  return list === state.list && note === state.note ? state : { ...state, list, note };
}

function changePane<Item extends ListItem>(
  state: BrowserState<Item>,
  event: PaneEvent,
): BrowserState<Item> {
  const { pendingAction, details } = state;
  const content = paneContent(state);
  if (content === undefined) return state;
  const pane = reducePane(content.pane, event);
  const note = event.type === 'sized' ? state.note : undefined;
  if (pane === content.pane && note === state.note) return state;
  return content === pendingAction
    ? { ...state, pendingAction: { ...pendingAction, pane }, note }
    : { ...state, details: details && { ...details, pane }, note };
}

/** Where a browser reads its entries, and what it can do with one. */
export interface BrowserSource<Item extends ListItem, Choice extends string = string> {
  /** What can be listed; the first is listed at the beginning. */
  readonly choices: readonly [Choice, ...Choice[]];
  readonly list: (choice: Choice) => Promise<{
    readonly items: readonly Item[];
    /** With those that were not read, if there are any. */
    readonly total?: number;
  }>;
  readonly details: (item: Item) => Promise<PaneText>;
  /** See {@link BrowserState.hasPreview}. */
  readonly hasPreview?: boolean;
  readonly actions: readonly BrowserAction<Item>[];
  readonly explain: (error: unknown) => string;
}

/** What can be done with an entry. */
export interface BrowserAction<Item> {
  readonly key: string;
  /** In a word: `cancel`. */
  readonly name: string;
  readonly description: string;
  /** To all entries if omitted. */
  readonly appliesTo?: (item: Item) => boolean;
  /** Has to be confirmed; without a question, the action runs immediately. */
  readonly question?: (item: Item) => string;
  /** What it would change, shown with the question. */
  readonly changes?: (item: Item) => PaneText;
  /** @returns the result in words */
  readonly run: (item: Item) => Promise<string>;
}

import {
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

/** Shown with what it changes instead of details. */
interface PendingAction<Item> extends BrowserDetails<Item> {
  readonly key: string;
  readonly question: string;
}

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

/** Details of an entry that have yet to be read. */
export function unreadDetails<Item>(item: Item): BrowserDetails<Item> {
  return { item, text: undefined, pane: PANE_TOP };
}

/** What other entries change. The details stay, even if their entry is no longer in the list. */
export function replaceItems<Item extends ListItem>(
  { list, details }: BrowserState<Item>,
  items: readonly Item[],
  total: number,
): Partial<BrowserState<Item>> {
  const item = items.find(({ id }) => id === details?.item.id);
  return {
    list: reduceList(list, { type: 'replaced', items }),
    total,
    ...(details !== undefined && item !== undefined && { details: { ...details, item } }),
  };
}

/** What is next to the list, or in its place: what the action to confirm changes, otherwise the details. */
export function paneContent<Item extends ListItem>({
  pendingAction,
  details,
}: BrowserState<Item>): PendingAction<Item> | BrowserDetails<Item> | undefined {
  return pendingAction?.text === undefined ? details : pendingAction;
}

/** What an event of the list changes. Only its size keeps the note. */
export function changeList<Item extends ListItem>(
  { list, note, pendingAction }: BrowserState<Item>,
  event: ListEvent<Item>,
): Partial<BrowserState<Item>> {
  const isSize = event.type === 'sized';
  // A click must not select another entry than the question is about.
  if (pendingAction !== undefined && !isSize) return {};
  return { list: reduceList(list, event), note: isSize ? note : undefined };
}

/** What an event of the pane changes, likewise. */
export function changePane<Item extends ListItem>(
  state: BrowserState<Item>,
  event: PaneEvent,
): Partial<BrowserState<Item>> {
  const { pendingAction, details } = state;
  const content = paneContent(state);
  if (content === undefined) return {};
  const pane = reducePane(content.pane, event);
  const note = event.type === 'sized' ? state.note : undefined;
  if (pane === content.pane) return { note };
  return content === pendingAction
    ? { pendingAction: { ...pendingAction, pane }, note }
    : { details: details && { ...details, pane }, note };
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

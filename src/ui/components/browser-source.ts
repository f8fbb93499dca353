import type { ListItem } from './list-state.js';
import type { PaneText } from './pane.js';

/** Where a browser reads its entries, and what it can do with one. */
export interface BrowserSource<Item extends ListItem, Choice extends string = string> {
  /** What can be listed; the first is listed at the beginning. */
  readonly choices: readonly [Choice, ...Choice[]];
  readonly list: (
    choice: Choice,
  ) => Promise<{ readonly items: readonly Item[]; readonly total: number }>;
  readonly details: (item: Item) => Promise<PaneText>;
  /** Details of the selected entry are always shown, not only once it is opened. */
  readonly previews?: boolean;
  readonly actions: readonly BrowserAction<Item>[];
  /** The message for an error. */
  readonly explain: (error: unknown) => string;
}

/** What can be done with an entry. */
export interface BrowserAction<Item> {
  readonly key: string;
  /** In a word: `cancel`. */
  readonly name: string;
  readonly does: string;
  readonly applies: (item: Item) => boolean;
  /** Has to be confirmed; without a question, the action runs at once. */
  readonly question?: (item: Item) => string;
  /** What it changes, shown with the question. */
  readonly shows?: (item: Item) => PaneText;
  /** @returns the result in words */
  readonly run: (item: Item) => Promise<string>;
}

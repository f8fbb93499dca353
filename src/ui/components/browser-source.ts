import type { ListItem } from './list-state.js';
import type { PaneLine } from './pane.js';

/** Where a browser reads its entries, and what it can do with one. */
export interface BrowserSource<Item extends ListItem, Choice extends string = string> {
  /** What can be listed; the first is listed at the beginning. */
  readonly choices: readonly [Choice, ...Choice[]];
  readonly list: (
    choice: Choice,
  ) => Promise<{ readonly items: readonly Item[]; readonly total: number }>;
  readonly details: (item: Item) => Promise<readonly PaneLine[]>;
  readonly actions: readonly BrowserAction<Item>[];
  /** The message for an error. */
  readonly explain: (error: unknown) => string;
}

/** What can be done with an entry, after a confirmation. */
export interface BrowserAction<Item> {
  readonly key: string;
  /** In a word: `cancel`. */
  readonly name: string;
  readonly does: string;
  /** Undefined if it does not apply. */
  readonly question: (item: Item) => string | undefined;
  /** @returns the result in words */
  readonly run: (item: Item) => Promise<string>;
}

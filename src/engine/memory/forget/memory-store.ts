import type { WorkOptions } from '../backends/memory-backend.js';
import type { Forgotten } from './forgotten.js';

/** What came of forgetting in one store. */
export interface StoreOutcome {
  /** The store's name, for people. */
  readonly store: string;
  /** How many of its entries were removed or written anew. */
  readonly changed: number;
  /** False when bytes of what went may still be found in its files. */
  readonly clean: boolean;
  /** Why it is not clean, where no other process is to blame. */
  readonly why?: { readonly message: string; readonly hint: string };
}

/** A place besides the files that keeps text of memory, or something made of it. */
export interface MemoryStore {
  /**
   * Makes it keep nothing that is forgotten, in its files neither. What was forgotten before may be
   * gone already; what was taken off the list may come back.
   *
   * @param forgotten all that is forgotten now
   */
  follow(forgotten: Forgotten, options?: WorkOptions): Promise<StoreOutcome>;
}

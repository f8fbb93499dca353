import type { ConfigPath } from '../../config/config-path.js';
import type { SourceLocation } from '../../errors/index.js';
import type { Insertion } from './insertion.js';

/** A value as configuration files hold it. */
export type EntryValue =
  | boolean
  | number
  | string
  | readonly EntryValue[]
  | { readonly [key: string]: EntryValue };

/**
 * How the text of one format is edited. Everything that an edit is not about stays as it is:
 * comments, order, indentation, line ends. Texts have no byte order mark, and but for `read` all
 * methods take texts that `read` takes.
 */
export interface DocumentEditor {
  /**
   * The data of a text; an empty text is an empty document.
   *
   * @throws SvcError INTEGRATION_FILE_INVALID with the place of the fault
   */
  read(file: string, text: string): unknown;
  /**
   * What to insert so that a value stands at a path that is not there yet. A position at the end of
   * the path adds to a list.
   *
   * @throws SvcError INTEGRATION_FILE_INVALID where the way leads through something else
   */
  insert(file: string, text: string, path: ConfigPath, value: EntryValue): readonly Insertion[];
  /** The text with keys of an object set, or removed where their value is undefined. */
  setKeys(
    text: string,
    path: ConfigPath,
    values: Readonly<Record<string, EntryValue | undefined>>,
  ): string;
  /** The text without a key or list item. */
  remove(text: string, path: ConfigPath): string;
  /** Whether nothing is written inside the object or list, not even a comment. */
  isBare(text: string, path: ConfigPath): boolean;
  /** Where a path is written; the nearest enclosing place where it is not. */
  locate(file: string, text: string, path: ConfigPath): SourceLocation;
  /** The text with the values of all others hidden; what stands at `shown` is shown. */
  hideOthers(text: string, shown: ConfigPath | undefined): string;
}

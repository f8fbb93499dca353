import { type ConfigPath, valueAt } from '../../config/index.js';
import { type SourceLocation, SvcError } from '../../errors/index.js';
import type { Insertion } from '../../support/insertions.js';
import { isRecord } from '../../support/text.js';

/** A value in a configuration file. */
export type EntryValue =
  | boolean
  | number
  | string
  | readonly EntryValue[]
  | { readonly [key: string]: EntryValue };

/**
 * Edits texts of one format. Comments, order, indentation and line ends stay as they are. Texts have no
 * byte order mark; all methods except `read` expect texts that `read` accepts.
 */
export interface DocumentEditor {
  /**
   * The data of a text; an empty text is an empty document.
   *
   * @throws SvcError INTEGRATION_FILE_INVALID
   */
  read(file: string, text: string): unknown;
  /**
   * What to insert to add a value at a new path. A number at the end of the path appends to a list.
   *
   * @throws SvcError INTEGRATION_FILE_INVALID where a parent is not an object or list
   */
  insert(file: string, text: string, path: ConfigPath, value: EntryValue): readonly Insertion[];
  /** Sets keys of an object, or removes those with an undefined value. */
  setKeys(
    text: string,
    path: ConfigPath,
    values: Readonly<Record<string, EntryValue | undefined>>,
  ): string;
  remove(text: string, path: ConfigPath): string;
  /** Whether an object or list is empty, without even a comment. */
  isBare(text: string, path: ConfigPath): boolean;
  /** Where a path is, or the nearest existing parent. */
  locate(file: string, text: string, path: ConfigPath): SourceLocation;
  /** Hides all values except those at `shown`. */
  hideOthers(text: string, shown: ConfigPath | undefined): string;
}

/** Replaces a hidden value. */
export const HIDDEN = '…';

/** The data with a value at a path; missing parents are created. */
export function withValue(data: unknown, path: ConfigPath, value: unknown): unknown {
  const [segment, ...rest] = path;
  if (segment === undefined) return value;
  if (typeof segment === 'number') {
    const list: readonly unknown[] = Array.isArray(data) ? data : [];
    const changed = withValue(list[segment], rest, value);
    return segment >= list.length ? [...list, changed] : list.with(segment, changed);
  }
  const object = isRecord(data) ? data : {};
  return { ...object, [segment]: withValue(object[segment], rest, value) };
}

/** The data without the value at a path. */
export function withoutValue(data: unknown, path: ConfigPath): unknown {
  const [segment, ...rest] = path;
  if (segment === undefined) return undefined;
  if (Array.isArray(data) && typeof segment === 'number') {
    if (rest.length === 0) return data.toSpliced(segment, 1);
    return data.with(segment, withoutValue(data[segment], rest));
  }
  if (!isRecord(data) || !Object.hasOwn(data, segment)) return data;
  const { [segment]: old, ...others } = data;
  return rest.length === 0 ? others : { ...data, [segment]: withoutValue(old, rest) };
}

/** The data without empty objects and lists on the way to a path. */
export function withoutEmptied(data: unknown, path: ConfigPath): unknown {
  let result = data;
  for (let length = path.length; length > 0; length--) {
    const parent = path.slice(0, length);
    if (isEmpty(valueAt(result, parent))) result = withoutValue(result, parent);
  }
  return result;
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
}

/** The path of the whole text in the data of a file. */
export const SCRIPT_PATH = ['script'] as const;

/** A file that belongs to svc as a whole: `{script: TEXT}`, or `{}` while it is empty. */
export const scriptEditor: DocumentEditor = {
  read: (_, text) => (text === '' ? {} : { script: text }),
  insert(file, text, _, value) {
    if (text === '') return [{ offset: 0, text: String(value) }];
    throw new SvcError('INTEGRATION_FILE_INVALID', `${file} was not written by svc`, {
      hint: 'rename it, and run the command again',
      location: startOf(file),
    });
  },
  setKeys: (text, _, { script }) => (script === undefined ? text : String(script)),
  remove: () => '',
  isBare: (text) => text === '',
  locate: startOf,
  hideOthers: (text, shown) => (shown === undefined ? '' : text),
};

/** The text of a file's data; undefined while it is empty. */
export function scriptIn(data: unknown): string | undefined {
  const script = isRecord(data) ? data['script'] : undefined;
  return typeof script === 'string' ? script : undefined;
}

function startOf(file: string): SourceLocation {
  return { file, line: 1, column: 1 };
}

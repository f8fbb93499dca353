import { hash } from 'node:crypto';
import { type ConfigPath, formatPath, isSameData, valueAt } from '../config/index.js';
import { SvcError, unlessSvcError } from '../errors/index.js';
import { withInsertions, withoutInsertions } from '../support/insertions.js';
import { type DiffLine, diffLines } from '../support/text-diff.js';
import type { AgentFile } from './agent-file.js';
import {
  type DocumentEditor,
  type EntryValue,
  withoutEmptied,
  withoutValue,
  withValue,
} from './edit/document-editor.js';
import type { EntryChange, EntrySpec, FoundEntry } from './entry.js';
import { type Layer, wasWritten, withUrl } from './receipts.js';

/** The changes to one file. */
export interface FilePlan {
  readonly file: AgentFile;
  /** Undefined where the file is removed. */
  readonly after: string | undefined;
  readonly layers: readonly Layer[];
  readonly changes: readonly EntryChange[];
  /** The outermost folder to remove with the file, if it is empty. */
  readonly folder: string | undefined;
  /** Of a new file. */
  readonly mode: number;
}

/** A text and the entries that svc added so far. */
export interface LayeredText {
  readonly text: string;
  readonly layers: readonly Layer[];
}

/** A text after one step; `change` is undefined where nothing changed. */
export interface EditStep extends LayeredText {
  readonly change: EntryChange | undefined;
}

/** A file that entries are added to or removed from. */
export interface EditedFile {
  /** Absolute. */
  readonly path: string;
  readonly editor: DocumentEditor;
  /** For new layers, when the file does not exist yet. */
  readonly newFile: Layer['newFile'];
}

/**
 * Adds an entry to a text, or updates it.
 *
 * @throws SvcError INTEGRATION_FILE_INVALID, INTEGRATION_CONFLICT
 */
export function addEntry(file: EditedFile, current: LayeredText, spec: EntrySpec): EditStep {
  const { key, part, value } = spec;
  const found = findEntry(file, current, spec);
  if (found !== undefined && Object.keys(found.updates).length === 0) {
    return { ...current, change: undefined };
  }
  const reverted = found && revert(file, current, key);
  if (found !== undefined && reverted === undefined) return updateEntry(file, current, spec, found);
  // Unchanged since svc wrote it: replacing it keeps it exactly reversible.
  const base = reverted ?? { file, below: current, above: [] };
  const path = spec.pathFor(read(file, base.below.text));
  const edited = insertAll(base, [{ key, path, value }, ...base.above]);
  const diff = hiddenDiff(file.editor, [current.text, found?.path], [edited.text, path]);
  const change = found === undefined ? 'add' : 'update';
  return { ...edited, change: { part, change, diff } };
}

/** An entry changed in its place, because something else in the text has changed. */
function updateEntry(
  file: EditedFile,
  current: LayeredText,
  spec: EntrySpec,
  found: FoundEntry,
): EditStep {
  const text = file.editor.setKeys(current.text, found.objectPath, found.updates);
  let expected = read(file, current.text);
  for (const [key, value] of Object.entries(found.updates)) {
    const path = [...found.objectPath, key];
    expected =
      value === undefined ? withoutValue(expected, path) : withValue(expected, path, value);
  }
  requireSame(file, current.text, found.path, [expected, readEdited(file, text)]);
  const diff = hiddenDiff(file.editor, [current.text, found.path], [text, found.path]);
  const written = withUrl(current.layers, spec.key, spec.url);
  return { text, layers: written, change: { part: spec.part, change: 'update', diff } };
}

/**
 * Removes an entry from a text: exactly reverted where nothing else changed since, otherwise the entry and
 * the objects that were created for it and are empty now.
 *
 * @throws SvcError INTEGRATION_FILE_INVALID, INTEGRATION_CONFLICT
 */
export function removeEntry(file: EditedFile, current: LayeredText, spec: EntrySpec): EditStep {
  const found = findEntry(file, current, spec);
  if (found === undefined) return { ...current, change: undefined };
  const reverted = revert(file, current, spec.key);
  const exact = reverted && insertAll(reverted, reverted.above);
  const text = exact?.text ?? cutOut(file, current, found, spec);
  const expected = withoutValue(read(file, current.text), found.path);
  const bare = [expected, readEdited(file, text)].map((data) =>
    withoutEmptied(data, found.path.slice(0, -1)),
  );
  requireSame(file, current.text, found.path, bare);
  const diff = hiddenDiff(file.editor, [current.text, found.path], [text, undefined]);
  return {
    text,
    layers: exact?.layers ?? current.layers.filter(({ entry }) => entry !== spec.key),
    change: { part: spec.part, change: 'remove', diff },
  };
}

/** Whether an entry that others need stays: somebody else added it, or needs it now. */
export function isStillNeeded(
  file: EditedFile,
  current: LayeredText,
  { key, isUnneeded }: EntrySpec,
): boolean {
  if (isUnneeded === undefined) return false;
  const layer = current.layers.findLast(({ entry }) => entry === key);
  if (layer === undefined) return true;
  // What else is in the file was there before.
  if (layer.after === hash('sha256', current.text)) return false;
  return !isUnneeded(read(file, current.text));
}

/** Entries in the order of removal: the last that was added comes first. */
export function inOrderOfRemoval(
  specs: readonly EntrySpec[],
  layers: readonly Layer[],
): readonly EntrySpec[] {
  const layerOf = ({ key }: EntrySpec): number =>
    layers.findLastIndex(({ entry }) => entry === key);
  return specs.toSorted((a, b) => layerOf(b) - layerOf(a));
}

function findEntry(
  file: EditedFile,
  current: LayeredText,
  spec: EntrySpec,
): FoundEntry | undefined {
  const found = spec.find(read(file, current.text));
  if (found === undefined || found.isOurs) return found;
  if (found.scriptOrUrl !== undefined && wasWritten(current.layers, spec.key, found.scriptOrUrl))
    return found;
  throw new SvcError(
    'INTEGRATION_CONFLICT',
    `${formatPath(found.path)} in ${file.path} was not added by svc`,
    {
      hint: 'choose another name with --name, or remove the entry by hand',
      location: file.editor.locate(file.path, current.text, found.path),
    },
  );
}

/** Up to the highest layer that matches the text; layers above were not written or were reverted. */
function currentLayers({ text, layers }: LayeredText): readonly Layer[] {
  const written = hash('sha256', text);
  return layers.slice(0, layers.findLastIndex(({ after }) => after === written) + 1);
}

/** An entry, and where to add it. */
interface PlacedEntry extends Pick<EntrySpec, 'key' | 'value'> {
  readonly path: ConfigPath;
}

/** A text before an entry was added, and what was added after it. */
interface Reverted {
  readonly file: EditedFile;
  readonly below: LayeredText;
  readonly above: readonly PlacedEntry[];
}

/** Reverts an entry; undefined where anything else changed since. */
function revert(file: EditedFile, current: LayeredText, key: string): Reverted | undefined {
  const layers = currentLayers(current);
  const at = layers.findLastIndex(({ entry }) => entry === key);
  const target = layers[at];
  if (target === undefined) return undefined;
  const above: PlacedEntry[] = [];
  let { text } = current;
  for (const layer of layers.slice(at).toReversed()) {
    const before = withoutInsertions(text, layer.insertions);
    if (before === undefined) return undefined;
    if (layer !== target) above.unshift(entryOf(layer, read(file, before), read(file, text)));
    text = before;
  }
  const { newFile } = target;
  return { file: { ...file, newFile }, below: { text, layers: layers.slice(0, at) }, above };
}

function insertAll({ file, below }: Reverted, entries: readonly PlacedEntry[]): LayeredText {
  return entries.reduce((base, entry) => insertEntry(file, base, entry), below);
}

/** What a layer added to the data of a text. */
function entryOf({ entry, made }: Layer, before: unknown, after: unknown): PlacedEntry {
  let path: ConfigPath = [];
  let value: unknown = after;
  let old: unknown = before;
  const isMade = (): boolean => made.some((created) => isSameData(created, path));
  while (old !== undefined || isMade()) {
    const key = keysOf(value).find(
      (one) => !isSameData(valueAt(old, [one]), valueAt(value, [one])),
    );
    if (key === undefined) break;
    path = [...path, key];
    value = valueAt(value, [key]);
    old = valueAt(old, [key]);
  }
  return { key: entry, path, value: value as EntryValue };
}

function keysOf(value: unknown): readonly (number | string)[] {
  return Array.isArray(value) ? [...value.keys()] : Object.keys(Object(value));
}

function insertEntry(
  file: EditedFile,
  base: LayeredText,
  { key, path: place, value }: PlacedEntry,
): LayeredText {
  const { editor, path: filePath, newFile } = file;
  const data = read(file, base.text);
  const list = valueAt(data, place.slice(0, -1));
  // The list may have fewer items than when the path was computed.
  const isItem = typeof place.at(-1) === 'number';
  const path = isItem ? [...place.slice(0, -1), Array.isArray(list) ? list.length : 0] : place;
  const insertions = editor.insert(filePath, base.text, path, value);
  const text = withInsertions(base.text, insertions);
  requireSame(file, base.text, path, [withValue(data, path, value), readEdited(file, text)]);
  const createdPaths = path.slice(0, -1).map((_, at) => path.slice(0, at + 1));
  const layer: Layer = {
    entry: key,
    after: hash('sha256', text),
    insertions,
    made: createdPaths.filter((above) => valueAt(data, above) === undefined),
    newFile,
  };
  return { text, layers: [...base.layers.filter(({ entry }) => entry !== key), layer] };
}

function cutOut(
  file: EditedFile,
  current: LayeredText,
  found: FoundEntry,
  spec: EntrySpec,
): string {
  const { editor } = file;
  const made = current.layers
    .filter(({ entry }) => entry === spec.key)
    .flatMap((layer) => layer.made);
  return made
    .toReversed()
    .reduce(
      (text, created) => (editor.isBare(text, created) ? editor.remove(text, created) : text),
      editor.remove(current.text, found.path),
    );
}

function read({ editor, path }: EditedFile, text: string): unknown {
  return editor.read(path, text);
}

/** The data of an edited text; undefined where the edit broke it. */
function readEdited(file: EditedFile, text: string): unknown {
  return unlessSvcError(() => read(file, text));
}

/** Refuses an edit with side effects. */
function requireSame(
  { path: filePath, editor }: EditedFile,
  text: string,
  path: ConfigPath,
  [expected, got]: readonly unknown[],
): void {
  if (isSameData(expected, got)) return;
  throw new SvcError(
    'INTEGRATION_FILE_INVALID',
    `svc cannot edit ${formatPath(path)} in ${filePath}`,
    {
      hint: 'edit the file by hand; nothing was written',
      location: editor.locate(filePath, text, path),
    },
  );
}

type ShownText = readonly [text: string, shown: ConfigPath | undefined];

function hiddenDiff(
  editor: DocumentEditor,
  [before, shownBefore]: ShownText,
  [after, shownAfter]: ShownText,
): readonly DiffLine[] {
  return diffLines(editor.hideOthers(before, shownBefore), editor.hideOthers(after, shownAfter));
}

import { hash } from 'node:crypto';
import { type ConfigPath, formatPath, isSameData, valueAt } from '../config/index.js';
import { SvcError } from '../errors/index.js';
import { withInsertions, withoutInsertions } from '../support/insertions.js';
import { type DiffLine, diffLines } from '../support/text-diff.js';
import type { AgentFile } from './agent-file.js';
import {
  type DocumentEditor,
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
export interface Edited {
  readonly text: string;
  readonly layers: readonly Layer[];
}

/** A text after one step; `change` is undefined where nothing changed. */
export interface EditStep extends Edited {
  readonly change: EntryChange | undefined;
}

export interface EditedFile {
  readonly file: string;
  readonly editor: DocumentEditor;
  /** For new layers, when the file does not exist yet. */
  readonly newFile: Layer['newFile'];
}

/**
 * Adds an entry to a text, or updates it.
 *
 * @throws SvcError INTEGRATION_FILE_INVALID, INTEGRATION_CONFLICT
 */
export function addEntry(where: EditedFile, now: Edited, spec: EntrySpec): EditStep {
  const found = findEntry(where, now, spec);
  if (found === undefined) return inserted(where, now, spec, undefined);
  if (Object.keys(found.differing).length === 0) return { ...now, change: undefined };
  const layers = currentLayers(now);
  const top = layers.at(-1);
  const before = top?.entry === spec.key ? withoutInsertions(now.text, top.insertions) : undefined;
  if (top !== undefined && before !== undefined) {
    // Unchanged since svc wrote it: replacing it keeps it exactly reversible.
    const below = { text: before, layers: layers.slice(0, -1) };
    return inserted({ ...where, newFile: top.newFile }, below, spec, { text: now.text, found });
  }
  const text = where.editor.setKeys(now.text, found.keysAt, found.differing);
  let expected = read(where, now.text);
  for (const [key, value] of Object.entries(found.differing)) {
    const path = [...found.keysAt, key];
    expected =
      value === undefined ? withoutValue(expected, path) : withValue(expected, path, value);
  }
  requireSame(where, now.text, found.path, [expected, readEdited(where, text)]);
  const diff = hiddenDiff(where.editor, [now.text, found.path], [text, found.path]);
  const written = withUrl(now.layers, spec.key, spec.url);
  return { text, layers: written, change: { part: spec.part, change: 'update', diff } };
}

/**
 * Removes an entry from a text: exactly reverted where nothing else changed since, otherwise the entry and
 * the objects that were created for it and are empty now.
 *
 * @throws SvcError INTEGRATION_FILE_INVALID, INTEGRATION_CONFLICT
 */
export function removeEntry(where: EditedFile, now: Edited, spec: EntrySpec): EditStep {
  const found = findEntry(where, now, spec);
  if (found === undefined) return { ...now, change: undefined };
  const layers = currentLayers(now);
  const top = layers.at(-1);
  const exact = top?.entry === spec.key ? withoutInsertions(now.text, top.insertions) : undefined;
  const text = exact ?? cutOut(where, now, found, spec);
  const expected = withoutValue(read(where, now.text), found.path);
  const bare = [expected, readEdited(where, text)].map((data) =>
    withoutEmptied(data, found.path.slice(0, -1)),
  );
  requireSame(where, now.text, found.path, bare);
  const diff = hiddenDiff(where.editor, [now.text, found.path], [text, undefined]);
  return {
    text,
    layers: (exact === undefined ? now.layers : layers).filter(({ entry }) => entry !== spec.key),
    change: { part: spec.part, change: 'remove', diff },
  };
}

/** Whether an entry that others need stays: somebody else added it, or needs it now. */
export function isStillNeeded(where: EditedFile, now: Edited, { key, isIdle }: EntrySpec): boolean {
  if (isIdle === undefined) return false;
  return !now.layers.some(({ entry }) => entry === key) || !isIdle(read(where, now.text));
}

/** Entries in the order of removal: the last that was added comes first. */
export function inOrderOfRemoval(
  specs: readonly EntrySpec[],
  layers: readonly Layer[],
): readonly EntrySpec[] {
  const placeOf = ({ key }: EntrySpec): number =>
    layers.findLastIndex(({ entry }) => entry === key);
  return specs.toSorted((a, b) => placeOf(b) - placeOf(a));
}

function findEntry(where: EditedFile, now: Edited, spec: EntrySpec): FoundEntry | undefined {
  const found = spec.find(read(where, now.text));
  if (found === undefined || found.isOurs) return found;
  if (found.mark !== undefined && wasWritten(now.layers, spec.key, found.mark)) return found;
  throw new SvcError(
    'INTEGRATION_CONFLICT',
    `${formatPath(found.path)} in ${where.file} was not added by svc`,
    {
      hint: 'choose another name with --name, or remove the entry by hand',
      location: where.editor.locate(where.file, now.text, found.path),
    },
  );
}

/** Up to the highest layer that matches the text; layers above were not written or were reverted. */
function currentLayers({ text, layers }: Edited): readonly Layer[] {
  const written = hash('sha256', text);
  return layers.slice(0, layers.findLastIndex(({ after }) => after === written) + 1);
}

function inserted(
  where: EditedFile,
  base: Edited,
  spec: EntrySpec,
  replaced: { readonly text: string; readonly found: FoundEntry } | undefined,
): EditStep {
  const { editor, file, newFile } = where;
  const data = read(where, base.text);
  const path = spec.placeFor(data);
  const insertions = editor.insert(file, base.text, path, spec.value);
  const text = withInsertions(base.text, insertions);
  requireSame(where, base.text, path, [withValue(data, path, spec.value), readEdited(where, text)]);
  const made = path.slice(0, -1).map((_, at) => path.slice(0, at + 1));
  const layer: Layer = {
    entry: spec.key,
    after: hash('sha256', text),
    insertions,
    made: made.filter((place) => valueAt(data, place) === undefined),
    newFile,
  };
  const before = replaced ?? { text: base.text, found: undefined };
  const diff = hiddenDiff(editor, [before.text, before.found?.path], [text, path]);
  const change = replaced === undefined ? 'add' : 'update';
  const layers = [...base.layers.filter(({ entry }) => entry !== spec.key), layer];
  return { text, layers, change: { part: spec.part, change, diff } };
}

function cutOut(where: EditedFile, now: Edited, found: FoundEntry, spec: EntrySpec): string {
  const { editor } = where;
  const made = now.layers.filter(({ entry }) => entry === spec.key).flatMap((layer) => layer.made);
  return made
    .toReversed()
    .reduce(
      (text, place) => (editor.isBare(text, place) ? editor.remove(text, place) : text),
      editor.remove(now.text, found.path),
    );
}

function read({ editor, file }: EditedFile, text: string): unknown {
  return editor.read(file, text);
}

/** The data of an edited text; undefined where the edit broke it. */
function readEdited(where: EditedFile, text: string): unknown {
  try {
    return read(where, text);
  } catch (error) {
    if (error instanceof SvcError) return undefined;
    throw error;
  }
}

/** Refuses an edit with side effects. */
function requireSame(
  { file, editor }: EditedFile,
  text: string,
  path: ConfigPath,
  [expected, got]: readonly unknown[],
): void {
  if (isSameData(expected, got)) return;
  throw new SvcError('INTEGRATION_FILE_INVALID', `svc cannot edit ${formatPath(path)} in ${file}`, {
    hint: 'edit the file by hand; nothing was written',
    location: editor.locate(file, text, path),
  });
}

type ShownText = readonly [text: string, shown: ConfigPath | undefined];

function hiddenDiff(
  editor: DocumentEditor,
  [before, shownBefore]: ShownText,
  [after, shownAfter]: ShownText,
): readonly DiffLine[] {
  return diffLines(editor.hideOthers(before, shownBefore), editor.hideOthers(after, shownAfter));
}

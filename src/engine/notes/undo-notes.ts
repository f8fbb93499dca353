import type { WriteRecord } from '../dreaming/store/write-records.js';
import { SvcError } from '../errors/index.js';
import type { OpenedMemory } from '../memory/index.js';
import { MOST_TRIES, removeGuarded, writeGuarded } from '../memory-files/guarded-file.js';
import { withLineEndsOf, withoutFrame, withoutInsertion } from '../memory-files/insertion.js';
import { isSqliteError } from '../sqlite/database.js';
import { iso } from '../support/time.js';
import { writeId } from './add-note.js';
import {
  asNoteChange,
  changeableNote,
  changeNotes,
  type NoteChanger,
  type NoteOptions,
  noteBusy,
} from './change-notes.js';
import type { MemoryUndoListOutput, MemoryUndoOutput } from './output-schemas.js';

/** A write, and whether it was undone. */
export type UndoneWrite = MemoryUndoOutput['writes'][number];

/**
 * Takes back exactly what was added, newest first, even if other parts of a file have changed. A file that was
 * created for it and has nothing else is deleted.
 *
 * @param which one write by its id, or the last ones
 * @throws SvcError NOTE_WRITE_UNKNOWN, NOTE_FILE_REFUSED, NOTE_BUSY, WORKSPACE_*, DREAM_STORE_*
 */
export async function undoNotes(
  memory: Pick<OpenedMemory, 'agent' | 'agentId' | 'sources'>,
  which: { readonly id: string } | { readonly last: number },
  options: NoteOptions,
): Promise<readonly UndoneWrite[]> {
  return changeNotes(memory, options, (changer) =>
    selectWrites(changer, which).map((write) => {
      const outcome = undoRecorded(changer, write);
      return { id: writeId(write.id), path: write.path, text: addedText(write), outcome };
    }),
  );
}

/** The text that a write added: a whole entry, or tags of a line. */
function addedText({ inserted, replaced }: WriteRecord): string {
  return inserted.slice(replaced.trimEnd().length).trim();
}

/** What can be undone, newest first. @throws SvcError as undoNotes */
export async function listWrites(
  memory: Pick<OpenedMemory, 'agent' | 'agentId' | 'sources'>,
  options: NoteOptions,
): Promise<MemoryUndoListOutput['writes']> {
  return changeNotes(memory, options, ({ writes }) => undoableWrites(writes));
}

/** Of the writes that are recorded, those that can be undone, newest first. */
export function undoableWrites(writes: NoteChanger['writes']): MemoryUndoListOutput['writes'] {
  return writes
    .list()
    .filter(({ state }) => state !== 'planned' && state !== 'undone')
    .map((write) => {
      const { id, atMs, path, origin } = write;
      return { id: writeId(id), at: iso(atMs), path, origin, text: addedText(write) };
    });
}

function selectWrites(
  { writes }: NoteChanger,
  which: { readonly id: string } | { readonly last: number },
): readonly WriteRecord[] {
  if ('id' in which) {
    const number = /^w?(\d{1,15})$/u.exec(which.id)?.[1];
    const write = number === undefined ? undefined : writes.get(Number(number));
    if (write === undefined) throw unknown(`write ${which.id} not found`);
    if (write.state === 'undone') throw unknown(`${which.id} was already undone`);
    return [write];
  }
  const last = writes
    .list()
    .filter(({ state }) => state === 'applied' || state === 'undoing')
    .slice(0, which.last);
  if (last.length === 0) {
    throw new SvcError('NOTE_WRITE_UNKNOWN', 'there is nothing to undo', {
      hint: 'only text that "svc memory add" or an agent added can be undone',
    });
  }
  return last;
}

function undoRecorded(changer: NoteChanger, write: WriteRecord): UndoneWrite['outcome'] {
  const { writes } = changer;
  // First, so that one that was killed is completed by running it again.
  writes.setState(write.id, 'undoing');
  try {
    const outcome = undoWrite(changer, write);
    writes.setState(write.id, outcome === 'undone' ? 'undone' : 'left');
    return outcome;
  } catch (error) {
    if (!isSqliteError(error)) writes.setState(write.id, write.state);
    throw error;
  }
}

function undoWrite(changer: NoteChanger, write: WriteRecord): UndoneWrite['outcome'] {
  const { dir } = changer;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const file = changeableNote(dir, write.path);
    if (file === undefined) return 'edited';
    const [inserted = '', replaced = '', ...createdFrames] = [
      write.inserted,
      write.replaced,
      ...write.frames,
    ].map((part) => withLineEndsOf(file.text, part));
    const remaining =
      withoutInsertion(file.text, inserted, replaced) ??
      // An undo that was killed had removed it already.
      (write.state === 'undoing' ? file.text : undefined);
    if (remaining === undefined) return 'edited';
    let text = remaining;
    const frames: string[] = [];
    for (const frame of createdFrames.toReversed()) {
      const without = withoutFrame(text, frame);
      if (without === undefined) frames.unshift(frame);
      else text = without;
    }
    const isRemoved = text.trim() === '' && write.created;
    const change = () => (isRemoved ? removeGuarded(file) : writeGuarded(file, text));
    if (!asNoteChange(change)) continue;
    passCreatedParts(changer, { ...write, created: write.created && !isRemoved, frames }, text);
    return 'undone';
  }
  throw noteBusy(write.path);
}

/**
 * Hands what an undone write created and other writes still need to the first of those below it.
 *
 * @param write with the headings that stay
 */
function passCreatedParts({ writes }: NoteChanger, write: WriteRecord, text: string) {
  const { id, path, created, frames } = write;
  if (!created && frames.length === 0) return;
  const frame = frames.at(-1) ?? '';
  const at = text.lastIndexOf(frame);
  const placeOf = ({ inserted }: WriteRecord): number =>
    text.indexOf(withLineEndsOf(text, inserted), at + frame.length);
  const [heir] = writes
    .list()
    .filter((other) => other.path === path && other.id !== id && other.state !== 'undone')
    .filter((other) => placeOf(other) !== -1)
    .sort((a, b) => placeOf(a) - placeOf(b));
  if (heir === undefined) return;
  const parts = { created: created || heir.created, frames: [...frames, ...heir.frames] };
  writes.setCreatedParts(heir.id, parts);
}

function unknown(message: string): SvcError {
  return new SvcError('NOTE_WRITE_UNKNOWN', message, {
    hint: 'run "svc memory undo --list" to see what can be undone',
  });
}

/*
 * Adding to notes on request. Loaded by name: output-schemas.js (zod schemas of the JSON documents, for tests and
 * docs) and capture/ (what is kept of conversations).
 */
export { addNote, MOST_NOTE_BYTES } from './add-note.js';
export { type NoteOptions, whileNotesAreLocked } from './change-notes.js';
export type * from './output-schemas.js';
export { listWrites, undoableWrites, undoNotes } from './undo-notes.js';

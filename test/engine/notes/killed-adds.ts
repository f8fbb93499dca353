import { addNote } from '../../../src/engine/notes/add-note.js';
import { undoNotes } from '../../../src/engine/notes/undo-notes.js';
import { noteWorld } from './note-world.js';

/* Adds lines until it is killed, takes every third back, and reports what was acknowledged. */

const [home = '', name = ''] = process.argv.slice(2);
const { memory, options } = await noteWorld(home);
for (let number = 0; ; number++) {
  const text = `fact ${name}-${number}`;
  process.stdout.write(`adding ${text}\n`);
  const { id } = await addNote(memory, { text, origin: 'command' }, options);
  process.stdout.write(`added ${text}\n`);
  if (number % 3 !== 2 || id === null) continue;
  process.stdout.write(`undoing ${text}\n`);
  await undoNotes(memory, { id }, options);
  process.stdout.write(`undone ${text}\n`);
}

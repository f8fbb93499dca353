import {
  memoryAddOutputSchema,
  memoryCaptureOutputSchema,
  memoryEditOutputSchema,
  memoryUndoListOutputSchema,
  memoryUndoOutputSchema,
} from '../../src/engine/notes/output-schemas.js';
import type { JsonDocument } from './json-document.js';

const PLACE = { agent: 'main', workspace: '/home/ada/.svc/workspace' };
const PATH = 'memory/2026-03-02.md';
const TEXT = '- The backup runs at 03:00 now';

const add: JsonDocument = {
  title: 'svc memory add',
  introduction: 'What was added; see [writing.md](writing.md).',
  schema: memoryAddOutputSchema,
  example: {
    ...PLACE,
    outcome: 'added',
    id: 'w12',
    path: PATH,
    startLine: 3,
    endLine: 3,
    citation: `${PATH}#L3`,
    text: TEXT,
    warnings: [],
  },
};

const undo: JsonDocument = {
  title: 'svc memory undo',
  introduction: 'What was undone.',
  schema: memoryUndoOutputSchema,
  example: {
    ...PLACE,
    writes: [{ id: 'w12', path: PATH, text: TEXT, outcome: 'undone' }],
    warnings: [],
  },
};

const undoList: JsonDocument = {
  title: 'svc memory undo --list',
  introduction: 'What can be undone.',
  schema: memoryUndoListOutputSchema,
  example: {
    ...PLACE,
    writes: [
      { id: 'w12', at: '2026-03-02T16:12:40.007Z', path: PATH, origin: 'command', text: TEXT },
    ],
    warnings: [],
  },
};

const edit: JsonDocument = {
  title: 'svc memory edit',
  introduction: 'The location; with `--json` no editor is opened.',
  schema: memoryEditOutputSchema,
  example: { path: PATH, file: `${PLACE.workspace}/${PATH}`, line: 3, warnings: [] },
};

const capture: JsonDocument = {
  title: 'svc memory capture',
  introduction: 'What was captured from a conversation; see [capture.md](capture.md).',
  schema: memoryCaptureOutputSchema,
  example: {
    ...PLACE,
    reader: 'claude-code',
    session: '6a1f',
    turns: 12,
    decisions: [{ text: 'Let us go with Hetzner.', outcome: 'added', citation: `${PATH}#L7` }],
    warnings: [],
  },
};

/** The documents of commands that write notes. */
export const NOTE_DOCUMENTS: readonly JsonDocument[] = [add, undo, undoList, edit, capture];

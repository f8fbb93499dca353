import {
  forgetListOutputSchema,
  forgetOutputSchema,
  forgetUndoOutputSchema,
} from '../../src/engine/memory/forget/output-schemas.js';
import {
  exportOutputSchema,
  importOutputSchema,
} from '../../src/engine/memory/transfer/output-schemas.js';
import { type JsonDocument, WARNINGS } from './json-document.js';

const AGENT = { agent: 'Its id; `null` with `--workspace`.' };
const FORGOTTEN = '/home/ada/.svc/forgotten/main';

const STORES = {
  stores: 'Everything besides the files that keeps text of the memory.',
  'stores[].store': 'Its name.',
  'stores[].changed': 'How many of its entries were removed or written anew.',
  'stores[].clean':
    'False when bytes of what went may still be in its files, because another process reads them; see `FORGET_UNFINISHED`.',
};

const forget: JsonDocument = {
  title: 'svc memory forget',
  introduction: 'What was forgotten, or what would have been; see [forget.md](forget.md).',
  schema: forgetOutputSchema,
  meanings: {
    ...AGENT,
    id: 'What takes it back; `null` when the person said no.',
    passages: 'What goes.',
    'passages[].path': 'Relative to the workspace.',
    'passages[].startLine': 'Counted from 1.',
    'passages[].endLine': 'Itself included.',
    'passages[].whole': 'Whether it is a whole file.',
    'passages[].text': 'The lines, joined by `\\n`.',
    alsoIn: 'The same lines in other places of the notes, which go as well.',
    'alsoIn[].path': 'Relative to the workspace.',
    'alsoIn[].startLine': 'Counted from 1.',
    'alsoIn[].endLine': 'Itself included.',
    files: 'Files that were changed, with `--from-file`.',
    'files[].path': 'Relative to the workspace.',
    'files[].deleted': 'Whether it was deleted.',
    'files[].backup': 'Absolute path of what it was before.',
    ...STORES,
    ...WARNINGS,
  },
  example: {
    agent: 'main',
    id: 'f1',
    passages: [
      {
        path: 'memory/2026-02-03.md',
        startLine: 5,
        endLine: 5,
        whole: false,
        text: 'The code of the front door is 4711.',
      },
    ],
    alsoIn: [],
    files: [
      { path: 'memory/2026-02-03.md', deleted: false, backup: `${FORGOTTEN}/f1/1-2026-02-03.md` },
    ],
    stores: [{ store: 'index', changed: 1, clean: true }],
    warnings: [],
  },
};

const forgetList: JsonDocument = {
  title: 'svc memory forget --list',
  introduction: 'Everything that is forgotten, oldest first. No text of it is known any more.',
  schema: forgetListOutputSchema,
  meanings: {
    ...AGENT,
    entries: 'One entry a command.',
    'entries[].id': 'What takes it back.',
    'entries[].at': 'When it was forgotten.',
    'entries[].passages': 'Where it stood then.',
    'entries[].passages[].path': 'Relative to the workspace.',
    'entries[].passages[].startLine': 'Counted from 1.',
    'entries[].passages[].endLine': 'Itself included.',
    'entries[].files': 'Files that were changed for it.',
    'entries[].files[].path': 'Relative to the workspace.',
    'entries[].files[].deleted': 'Whether it was deleted.',
    'entries[].files[].backup': 'Absolute path of what it was before.',
    ...WARNINGS,
  },
  example: {
    agent: 'main',
    entries: [
      {
        id: 'f1',
        at: '2026-03-02T16:12:40.007Z',
        passages: [{ path: 'memory/2026-02-03.md', startLine: 5, endLine: 5 }],
        files: [],
      },
    ],
    warnings: [],
  },
};

const forgetUndo: JsonDocument = {
  title: 'svc memory forget --undo',
  introduction: 'What came back.',
  schema: forgetUndoOutputSchema,
  meanings: {
    ...AGENT,
    id: 'As it was given.',
    undone: 'False when the person said no.',
    restored: 'Files that are as they were before.',
    kept: 'Files that somebody changed since: they stay as they are.',
    'kept[].path': 'Relative to the workspace.',
    'kept[].backup': 'Absolute path of what it was before it was changed.',
    ...STORES,
    ...WARNINGS,
  },
  example: {
    agent: 'main',
    id: 'f1',
    undone: true,
    restored: ['memory/2026-02-03.md'],
    kept: [],
    stores: [{ store: 'index', changed: 1, clean: true }],
    warnings: [],
  },
};

const exported: JsonDocument = {
  title: 'svc memory export',
  introduction:
    'Only with `--output`. The lines of the export itself are described in [backup.md](backup.md#the-file).',
  schema: exportOutputSchema,
  meanings: {
    ...AGENT,
    file: 'Absolute path of what was written.',
    documents: 'How many notes are in it.',
    vectors: 'How many vectors are in it.',
    bytes: 'Its size, but for the last line.',
    skipped: 'Notes that could not be read.',
    'skipped[].path': 'Relative to the workspace.',
    'skipped[].reason': 'See [memory-files.md](memory-files.md#what-is-skipped).',
    'skipped[].detail': 'The figure or the words of the system behind the reason.',
    ...WARNINGS,
  },
  example: {
    agent: 'main',
    file: '/home/ada/memory.jsonl',
    documents: 34,
    vectors: 118,
    bytes: 1_204_337,
    skipped: [],
    warnings: [],
  },
};

const imported: JsonDocument = {
  title: 'svc memory import',
  introduction: 'What was written; see [backup.md](backup.md).',
  schema: importOutputSchema,
  meanings: {
    ...AGENT,
    into: 'Absolute path of the folder that the notes landed in.',
    imported: 'False when the person said no.',
    written: 'Files that were not there before, relative to `into`.',
    replaced: 'Files that were there with another content, with `--existing replace`.',
    'replaced[].path': 'Relative to `into`.',
    'replaced[].backup': 'Absolute path of what it was before.',
    kept: 'Files that were there with another content, with `--existing keep`.',
    same: 'How many files were there with the same content.',
    notIndexed: 'How many of the notes this memory does not cover where they are now.',
    vectors: 'Vectors of the export.',
    'vectors.inFile': 'How many it holds.',
    'vectors.used': 'How many found a passage that had none.',
    ...WARNINGS,
  },
  example: {
    agent: 'main',
    into: '/home/ada/.svc/workspace',
    imported: true,
    written: ['MEMORY.md', 'memory/2026-02-03.md'],
    replaced: [],
    kept: [],
    same: 0,
    notIndexed: 0,
    vectors: { inFile: 118, used: 118 },
    warnings: [],
  },
};

/** The documents of the commands that look after a memory as a whole. */
export const CARE_DOCUMENTS: readonly JsonDocument[] = [
  forget,
  forgetList,
  forgetUndo,
  exported,
  imported,
];

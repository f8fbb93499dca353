import {
  forgetListOutputSchema,
  forgetOutputSchema,
  forgetUndoOutputSchema,
} from '../../src/engine/memory/forget/output-schemas.js';
import {
  sessionListOutputSchema,
  sessionOutputSchema,
} from '../../src/engine/memory/sessions/output-schemas.js';
import { exportOutputSchema, importOutputSchema } from '../../src/engine/memory/transfer/index.js';
import type { JsonDocument } from './json-document.js';

const FORGOTTEN = '/home/ada/.svc/forgotten/main';

const forget: JsonDocument = {
  title: 'svc memory forget',
  introduction: 'What was forgotten, or what would be; see [forget.md](forget.md).',
  schema: forgetOutputSchema,
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
    remains: [],
    files: [
      { path: 'memory/2026-02-03.md', deleted: false, backup: `${FORGOTTEN}/f1/1/2026-02-03.md` },
    ],
    stores: [{ store: 'index', changed: 1, clean: true }],
    warnings: [],
  },
};

const forgetList: JsonDocument = {
  title: 'svc memory forget --list',
  introduction: 'Everything that was forgotten, oldest first. The text itself is not stored.',
  schema: forgetListOutputSchema,
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
  introduction: 'What was restored.',
  schema: forgetUndoOutputSchema,
  example: {
    agent: 'main',
    id: 'f1',
    undone: true,
    stillIn: [],
    restored: ['memory/2026-02-03.md'],
    kept: [],
    stores: [{ store: 'index', changed: 1, clean: true }],
    warnings: [],
  },
};

const memoryExport: JsonDocument = {
  title: 'svc memory export',
  introduction:
    'Only with `--output`. For the lines of the export itself, see [backup.md](backup.md#file-format).',
  schema: exportOutputSchema,
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

const memoryImport: JsonDocument = {
  title: 'svc memory import',
  introduction: 'What was written; see [backup.md](backup.md).',
  schema: importOutputSchema,
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

const CONVERSATION = {
  id: 'cc01f1f4e40dc2b4',
  path: 'sessions/claude-code/-home-ada-shop/5b1c.jsonl',
  reader: 'claude-code',
  title: 'why does the checkout test fail on Mondays',
  state: 'archived',
  startedAt: '2026-09-14T08:12:03.000Z',
  lastAt: '2026-09-14T09:40:11.000Z',
  archivedBytes: 18_204,
} as const;

const sessionList: JsonDocument = {
  title: 'svc memory sessions list',
  introduction:
    'Conversations, newest first; see [sessions.md](sessions.md#managing-conversations).',
  schema: sessionListOutputSchema,
  example: { agent: 'main', sessions: [CONVERSATION], total: 1, warnings: [] },
};

const session: JsonDocument = {
  title: 'svc memory sessions show',
  introduction:
    'A conversation; also `svc memory sessions export --json`. `svc memory sessions forget` prints the document of [svc memory forget](#svc-memory-forget).',
  schema: sessionOutputSchema,
  example: {
    agent: 'main',
    ...CONVERSATION,
    turns: [
      {
        line: 4,
        role: 'user',
        at: '2026-09-14T08:12:03.000Z',
        text: 'why does the checkout test fail on Mondays',
      },
    ],
    warnings: [],
  },
};

/** The documents of commands that maintain a memory. */
export const CARE_DOCUMENTS: readonly JsonDocument[] = [
  forget,
  forgetList,
  forgetUndo,
  memoryExport,
  memoryImport,
  sessionList,
  session,
];

import {
  inspectOutputSchema,
  linksOutputSchema,
  recentOutputSchema,
} from '../../src/engine/memory/inspect/output-schemas.js';
import { logOutputSchema } from '../../src/engine/memory/output-schemas.js';
import type { JsonDocument } from './json-document.js';

const links: JsonDocument = {
  title: 'svc memory links',
  introduction: 'The links of a file, or with `--broken` those of all notes that are broken.',
  schema: linksOutputSchema,
  example: {
    agent: 'main',
    path: 'memory/house.md',
    out: [
      {
        from: 'memory/house.md',
        line: 5,
        kind: 'wiki',
        target: 'Keys',
        heading: 'Front door',
        to: 'memory/keys.md',
      },
    ],
    back: [
      {
        from: 'MEMORY.md',
        line: 3,
        kind: 'markdown',
        target: 'memory/house.md',
        to: 'memory/house.md',
      },
    ],
    broken: [{ from: 'memory/house.md', line: 9, kind: 'wiki', target: 'Garden', to: null }],
    warnings: [],
  },
};

const inspect: JsonDocument = {
  title: 'svc memory inspect',
  introduction: 'What the index contains of a file, and why the file belongs to memory or not.',
  schema: inspectOutputSchema,
  example: {
    agent: 'main',
    document: {
      path: 'memory/2026-02-03.md',
      source: 'memory',
      kind: 'markdown',
      bytes: 412,
      modified: '2026-02-03T19:40:00.000Z',
      indexed: '2026-02-03T19:41:07.120Z',
      date: { day: '2026-02-03', from: 'name' },
      tags: ['work'],
      properties: { status: 'open' },
      fault: null,
      chunkCount: 1,
      chunks: [
        {
          startLine: 1,
          endLine: 9,
          headingPath: ['Backups'],
          tokens: 96,
          vector: 'stored',
          text: 'The nightly backup runs at 02:30.',
        },
      ],
      out: [],
      back: [],
      broken: [],
    },
    why: {
      path: 'memory/2026-02-03.md',
      included: true,
      indexed: true,
      reason: 'included',
      rule: null,
    },
    warnings: [],
  },
};

const recent: JsonDocument = {
  title: 'svc memory recent',
  introduction: 'The files that changed last.',
  schema: recentOutputSchema,
  example: {
    agent: 'main',
    documents: [
      {
        path: 'memory/2026-02-03.md',
        source: 'memory',
        kind: 'markdown',
        modified: '2026-02-03T19:40:00.000Z',
        bytes: 412,
      },
    ],
    more: 12,
    warnings: [],
  },
};

const log: JsonDocument = {
  title: 'svc memory log',
  introduction: 'Searches of an agent on this host, if `memory.searchLog` is on.',
  schema: logOutputSchema,
  example: {
    agent: 'main',
    enabled: true,
    searches: [
      {
        at: '2026-02-04T08:12:30.000Z',
        query: 'when does the backup run',
        mode: 'lexical',
        hits: [{ path: 'memory/2026-02-03.md', startLine: 1, endLine: 9, score: 0.82 }],
        opened: [
          {
            path: 'memory/2026-02-03.md',
            startLine: 1,
            endLine: 9,
            at: '2026-02-04T08:12:41.000Z',
          },
        ],
      },
    ],
    warnings: [],
  },
};

/** The documents of commands that show what is in a memory. */
export const INSPECT_DOCUMENTS: readonly JsonDocument[] = [inspect, links, log, recent];

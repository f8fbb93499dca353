import { errorOutputSchema } from '../../src/engine/errors/output-schema.js';
import {
  resetOutputSchema,
  statusOutputSchema,
} from '../../src/engine/memory/backends/output-schemas.js';
import { getOutputSchema } from '../../src/engine/memory/get/output-schemas.js';
import {
  indexOutputSchema,
  installDocumentsOutputSchema,
} from '../../src/engine/memory/output-schemas.js';
import { searchOutputSchema } from '../../src/engine/memory/search/output-schemas.js';
import { installLocalOutputSchema } from '../../src/engine/providers/local/output-schemas.js';
import {
  loginOutputSchema,
  logoutOutputSchema,
} from '../../src/engine/providers/output-schemas.js';
import { CARE_DOCUMENTS } from './json-care-documents.js';
import type { JsonDocument } from './json-document.js';
import { DREAM_DOCUMENTS } from './json-dream-documents.js';
import { EVAL_DOCUMENTS } from './json-eval-documents.js';
import { FLOW_DOCUMENTS } from './json-flow-documents.js';
import { IMPORT_DOCUMENT } from './json-import-document.js';
import { INSPECT_DOCUMENTS } from './json-inspect-documents.js';
import { INTEGRATE_DOCUMENTS } from './json-integrate-documents.js';
import { MCP_DOCUMENTS } from './json-mcp-document.js';
import { NOTE_DOCUMENTS } from './json-note-documents.js';
import { OVERVIEW_DOCUMENTS } from './json-overview-documents.js';
import { PROVIDER_DOCUMENTS } from './json-provider-documents.js';
import { RECALL_DOCUMENTS } from './json-recall-documents.js';
import { SCHEDULE_DOCUMENTS } from './json-schedule-documents.js';
import { SERVE_DOCUMENTS } from './json-serve-documents.js';
import { STORAGE_DOCUMENTS } from './json-storage-documents.js';
import { WEBHOOK_DOCUMENTS } from './json-webhook-documents.js';

const WORKSPACE = '/home/ada/.svc/workspace';
const INDEX_FILE = '/home/ada/.svc/memory/main.sqlite';

const search: JsonDocument = {
  title: 'svc memory search',
  introduction: 'The answer to a query, best result first.',
  schema: searchOutputSchema,
  example: {
    query: 'when does the backup run',
    agent: 'main',
    workspace: WORKSPACE,
    backend: 'builtin',
    mode: 'hybrid',
    provider: 'openai',
    model: 'text-embedding-3-small',
    results: [
      {
        path: 'memory/2026-02-03.md',
        startLine: 3,
        endLine: 6,
        score: 0.8126,
        snippet:
          '## Backups\n\nThe nightly backup runs at 02:30.\n\nSource: memory/2026-02-03.md#L3-L6',
        snippetLine: 3,
        source: 'memory',
        kind: 'markdown',
        headingPath: ['3 February 2026', 'Backups'],
        citation: 'memory/2026-02-03.md#L3-L6',
        textScore: 0.71,
        vectorScore: 0.8566,
        explanation: {
          textShare: 0.3,
          vectorShare: 0.7,
          similarity: 0.6123,
          decay: null,
          diversity: null,
        },
      },
    ],
    matches: 2,
    corrections: [],
    belowMinScore: 0,
    dates: null,
    searchMs: 1.9,
    warnings: [],
  },
};

const get: JsonDocument = {
  title: 'svc memory get',
  introduction: 'Lines of a file as it is now.',
  schema: getOutputSchema,
  example: {
    path: 'memory/2026-02-03.md',
    source: 'memory',
    kind: 'markdown',
    startLine: 5,
    endLine: 5,
    text: 'The nightly backup runs at 02:30.',
    totalLines: 10,
    truncated: false,
    warnings: [],
  },
};

const index: JsonDocument = {
  title: 'svc memory index',
  introduction:
    'One entry per agent. If an agent failed, its entry has `error` instead of the counts. The others are indexed anyway, and the exit code is that of the last error.',
  schema: indexOutputSchema,
  example: {
    agents: [
      {
        agent: 'main',
        workspace: WORKSPACE,
        outcome: 'updated',
        rebuild: { reason: 'first', detail: 'there is no index yet' },
        added: 3,
        changed: 0,
        removed: 0,
        renamed: 0,
        unchanged: 0,
        skipped: [{ path: 'memory/dump.md', reason: 'too_large', detail: '200 MB, limit 64 MB' }],
        chunks: 3,
        bytes: 454,
        durationMs: 412.7,
        embedding: {
          provider: 'openai',
          model: 'text-embedding-3-small',
          embedded: 3,
          known: 0,
          refused: 0,
          pending: 0,
          tokens: 121,
          requests: 1,
        },
      },
    ],
    warnings: [],
  },
};

const status: JsonDocument = {
  title: 'svc memory status',
  introduction:
    'One entry per agent. Exits with 1 if one of them has errors, or with `--deep` cannot embed queries. Without `--deep` no provider is contacted: provider and vectors are derived from settings, environment and index.',
  schema: statusOutputSchema,
  example: {
    agents: [
      {
        agent: 'main',
        backend: 'builtin',
        configuredBackend: 'builtin',
        workspaceDir: WORKSPACE,
        indexFile: INDEX_FILE,
        shared: null,
        index: {
          state: 'ready',
          statistics: {
            documents: 3,
            chunks: 3,
            bySource: [{ source: 'memory', documents: 3, chunks: 3 }],
            media: { images: 0, audio: 0 },
            bytes: 77824,
            lastSync: '2026-02-03T09:05:28.109Z',
          },
        },
        staleness: { added: 1, changed: 0, removed: 0, examples: ['memory/2026-02-04.md'] },
        sources: ['memory'],
        extraPaths: [],
        excluded: 0,
        frontMatter: [],
        tokenizer: 'unicode61',
        mode: 'hybrid',
        provider: 'openai',
        model: 'text-embedding-3-small',
        fallback: null,
        vectorStore: {
          state: 'whole',
          dimensions: 1536,
          embedded: 3,
          pending: 0,
          refused: 0,
          cached: 0,
          ofFallback: 0,
          differences: [],
          batchJobs: [],
        },
        media: null,
        ext: null,
        citations: 'auto',
        watcher: null,
        skipped: [],
        faults: [],
      },
    ],
    warnings: [],
  },
};

const reset: JsonDocument = {
  title: 'svc memory reset',
  introduction: 'One entry per agent.',
  schema: resetOutputSchema,
  example: {
    agents: [{ agent: 'main', indexFile: INDEX_FILE, deleted: true, bytes: 45056 }],
    warnings: [],
  },
};

const installLocal: JsonDocument = {
  title: 'svc provider install local',
  introduction: 'What is installed now.',
  schema: installLocalOutputSchema,
  example: {
    runtime: {
      outcome: 'installed',
      version: '3.22.1',
      folder: '/home/ada/.svc/runtimes/local-c86307dd1839',
      gpu: false,
      bytes: 78849645,
    },
    model: {
      outcome: 'downloaded',
      name: 'hf:nomic-ai/nomic-embed-text-v1.5-GGUF:Q8_0',
      path: '/home/ada/.svc/models/nomic-embed-text-v1.5-GGUF-Q8_0-5b1f4a0c2d3e.gguf',
      bytes: 146146432,
    },
    warnings: [],
  },
};

const installDocuments: JsonDocument = {
  title: 'svc memory documents install',
  introduction: 'What is installed now.',
  schema: installDocumentsOutputSchema,
  example: {
    library: {
      outcome: 'installed',
      version: '1.7.0',
      folder: '/home/ada/.svc/libraries/pdf-5b1f4a0c2d3e',
      bytes: 2097152,
    },
    warnings: [],
  },
};

const LOGIN_FILE = '/home/ada/.svc/auth/github-copilot.json';

const login: JsonDocument = {
  title: 'svc provider login',
  introduction: 'A successful login. The code to enter is printed to stderr, also with `--json`.',
  schema: loginOutputSchema,
  example: { provider: 'github-copilot', account: 'ada', file: LOGIN_FILE, warnings: [] },
};

const logout: JsonDocument = {
  title: 'svc provider logout',
  introduction: 'What happened to the stored login.',
  schema: logoutOutputSchema,
  example: { provider: 'github-copilot', file: LOGIN_FILE, outcome: 'deleted', warnings: [] },
};

/** The documents of the commands. */
export const COMMAND_DOCUMENTS: readonly JsonDocument[] = [
  search,
  get,
  index,
  status,
  reset,
  ...NOTE_DOCUMENTS,
  ...INSPECT_DOCUMENTS,
  ...CARE_DOCUMENTS,
  ...EVAL_DOCUMENTS,
  ...RECALL_DOCUMENTS,
  login,
  logout,
  installLocal,
  installDocuments,
  ...PROVIDER_DOCUMENTS,
  ...OVERVIEW_DOCUMENTS,
  ...SERVE_DOCUMENTS,
  ...STORAGE_DOCUMENTS,
  ...WEBHOOK_DOCUMENTS,
  IMPORT_DOCUMENT,
  ...MCP_DOCUMENTS,
  ...FLOW_DOCUMENTS,
  ...SCHEDULE_DOCUMENTS,
  ...INTEGRATE_DOCUMENTS,
  ...DREAM_DOCUMENTS,
];

/** What every command prints when it fails. */
export const ERROR_DOCUMENT: JsonDocument = {
  title: 'Errors',
  introduction:
    'What any command prints instead of its document when it fails. The exit code is the same as without `--json`.',
  schema: errorOutputSchema,
  example: {
    error: {
      code: 'DOCUMENT_NOT_INDEXED',
      message: 'notes.md is not an indexed file',
      hint: 'use a path from "svc memory search"; "svc memory status --why PATH" shows why a file is not indexed',
    },
  },
};

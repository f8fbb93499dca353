import {
  installLocalOutputSchema,
  loginOutputSchema,
  logoutOutputSchema,
} from '../../src/engine/embeddings/output-schemas.js';
import {
  errorOutputSchema,
  getOutputSchema,
  indexOutputSchema,
  resetOutputSchema,
  searchOutputSchema,
  statusOutputSchema,
} from '../../src/engine/memory/output-schemas.js';
import { CARE_DOCUMENTS } from './json-care-documents.js';
import { DOCTOR_DOCUMENT } from './json-doctor-document.js';
import { diagnosisMeanings, type JsonDocument, WARNINGS } from './json-document.js';
import { DREAM_DOCUMENTS } from './json-dream-documents.js';
import { EVAL_DOCUMENTS } from './json-eval-documents.js';
import { FLOW_DOCUMENTS } from './json-flow-documents.js';
import { INTEGRATE_DOCUMENTS } from './json-integrate-documents.js';
import { MCP_DOCUMENT } from './json-mcp-document.js';
import { overviewDocuments } from './json-overview-documents.js';
import { PROVIDER_DOCUMENTS } from './json-provider-documents.js';
import { RECALL_DOCUMENTS } from './json-recall-documents.js';
import { SCOPE_DOCUMENT } from './json-scope-document.js';
import { SERVE_DOCUMENTS } from './json-serve-documents.js';
import { WEBHOOK_DOCUMENTS } from './json-webhook-documents.js';

const WORKSPACE = '/home/ada/.svc/workspace';
const INDEX_FILE = '/home/ada/.svc/memory/main.sqlite';

const SKIPPED = {
  'agents[].skipped': 'Files and folders that could not be taken in.',
  'agents[].skipped[].path': 'Relative to the workspace.',
  'agents[].skipped[].reason': 'See [memory-files.md](memory-files.md#what-is-skipped).',
  'agents[].skipped[].detail': 'The figure or the words of the system behind the reason.',
};

const AGENT = { 'agents[].agent': 'Its id; `null` with `--workspace`.' };

const search: JsonDocument = {
  title: 'svc memory search',
  introduction: 'The answer to a query, best result first.',
  schema: searchOutputSchema,
  meanings: {
    query: 'As it was given.',
    agent: 'The agent that was searched; `null` with `--workspace`.',
    workspace: 'Absolute path of the workspace.',
    backend: 'What answered.',
    mode: 'How it was searched: by words, by vectors, or by both.',
    provider: 'Who embedded the question; `null` in lexical search.',
    model: 'The model; `null` in lexical search.',
    results: 'Empty when nothing was found.',
    'results[].path': 'Relative to the workspace, with forward slashes.',
    'results[].startLine': 'First line of the passage, counted from 1.',
    'results[].endLine': 'Last line of the passage, itself included.',
    'results[].score': '0 to 1; see [search.md](search.md#scores).',
    'results[].snippet': 'The passage, or its best lines with `…` between them.',
    'results[].snippetLine': 'Number of the first line of the snippet.',
    'results[].source': 'Where the file belongs.',
    'results[].kind': 'Notes, an image or a recording, or a transcript.',
    'results[].mimeType': 'Of an image or a recording, by its content.',
    'results[].headingPath': 'The headings above the passage, outermost first.',
    'results[].citation': '`path#L3-L5`; left out when `memory.citations` is `off`.',
    'results[].textScore':
      'What the words score, 0 to 1; the whole score in lexical search. Left out when words were not asked.',
    'results[].vectorScore': 'What the vector scores, 0 to 1; left out for a passage without one.',
    'results[].explanation':
      'Only with `--explain`; see [search.md](search.md#how-a-score-comes-about).',
    'results[].explanation.textShare': 'Share of the words in the score, where both sides count.',
    'results[].explanation.vectorShare': 'Share of the vector.',
    'results[].explanation.similarity':
      'Cosine of passage and question; `null` for a passage without a vector.',
    'results[].explanation.decay': '`null` where nothing loses score with age.',
    'results[].explanation.decay.factor': 'What age has left of the score.',
    'results[].explanation.decay.ageDays': 'The age in days.',
    'results[].explanation.diversity': '`null` without `query.hybrid.mmr`.',
    'results[].explanation.diversity.placeBefore': 'Place by score alone, from 1.',
    'results[].explanation.diversity.overlap':
      'How much of its words the most similar result above it has.',
    matches: 'How many chunks match in all, also those that are not among the results.',
    belowMinScore: 'How many results were left out because of the minimum score.',
    searchMs: 'Time of the search itself in milliseconds, without start and update.',
    ...WARNINGS,
  },
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
    belowMinScore: 0,
    searchMs: 1.9,
    warnings: [],
  },
};

const get: JsonDocument = {
  title: 'svc memory get',
  introduction: 'Lines of a file, as they stand in it now.',
  schema: getOutputSchema,
  meanings: {
    path: 'Relative to the workspace.',
    source: 'Where the file belongs.',
    kind: 'Notes, an image or a recording, or a transcript.',
    media: 'Only of an image or a recording; `text` then says the same.',
    'media.mimeType': 'What it is by its content.',
    'media.bytes': 'Size of the file.',
    'media.modified': 'When it was last written.',
    'media.refused': 'The words of the provider that does not take it; `null` otherwise.',
    startLine: 'Number of the first line given.',
    endLine: 'Number of the last line given.',
    text: 'The lines, joined by `\\n`, without a line end after the last.',
    totalLines: 'How many lines the file has.',
    truncated: 'Whether more was asked for than is given at once.',
    turns: 'Of a transcript only: what was said in these lines; `text` has one line a turn.',
    'turns[].line': "The transcript's line that says it.",
    'turns[].role': 'Who said it.',
    'turns[].at': 'When; `null` where the transcript has no time.',
    'turns[].text': 'What was said: cleaned, secrets masked, with its line ends.',
    'turns[].asked': 'False for turns that only stand around a citation.',
    ...WARNINGS,
  },
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
    'One entry an agent. The entry of an agent that failed has `error` instead of the counts; the others are indexed all the same, and the exit code is that of the last error.',
  schema: indexOutputSchema,
  meanings: {
    agents: 'In the order of the configuration.',
    ...AGENT,
    'agents[].workspace': 'Absolute path of the workspace.',
    'agents[].outcome': '`stopped`: by Ctrl-C; what is counted is done and kept.',
    'agents[].rebuild': 'Only when the index was built anew.',
    'agents[].rebuild.reason': 'See [indexing.md](indexing.md#when-an-index-is-built-anew).',
    'agents[].rebuild.detail': 'The same for people.',
    'agents[].added': 'New files.',
    'agents[].changed': 'Files with another content than before.',
    'agents[].removed': 'Files that are gone, or cannot be read any more.',
    'agents[].renamed': 'Files that moved with their content unchanged.',
    'agents[].unchanged': 'All the others.',
    ...SKIPPED,
    'agents[].chunks': 'Chunks written now.',
    'agents[].bytes': 'Size of the files read now.',
    'agents[].durationMs': 'Milliseconds.',
    'agents[].embedding':
      'What was done for vectors; left out where no provider is configured or found.',
    'agents[].embedding.provider': 'Who embedded; the fallback when that had to.',
    'agents[].embedding.model': 'Its model; `null` when it could not be opened.',
    'agents[].embedding.embedded': 'Passages that were given a vector now.',
    'agents[].embedding.known': 'Chunks written now whose text had a vector already.',
    'agents[].embedding.refused': 'Passages that the provider does not take.',
    'agents[].embedding.refusal': 'Its words on the first of them.',
    'agents[].embedding.pending': 'Passages without a vector that a later run will embed.',
    'agents[].embedding.tokens': 'As the provider counts them, else estimated.',
    'agents[].embedding.requests': 'Requests that were answered.',
    'agents[].embedding.failure':
      'Why passages got no vector; their words are indexed all the same. The exit code is 1 then.',
    'agents[].embedding.failure.code': 'See [errors.md](errors.md#error-codes).',
    'agents[].embedding.failure.message': 'For people.',
    'agents[].embedding.failure.hint': 'What to do about it.',
    'agents[].embedding.mediaLeft':
      'Only when the model takes no images and recordings; they are found by their names.',
    'agents[].embedding.mediaLeft.files': 'How many there are.',
    'agents[].embedding.mediaLeft.why': 'For people.',
    'agents[].embedding.mediaLeft.mend': 'What to do about it.',
    'agents[].embedding.insteadOf': 'Only when the fallback embedded.',
    'agents[].embedding.insteadOf.provider': 'Who failed.',
    'agents[].embedding.insteadOf.failure': 'How; the same fields.',
    'agents[].embedding.insteadOf.failure.code': 'For programs.',
    'agents[].embedding.insteadOf.failure.message': 'For people.',
    'agents[].embedding.insteadOf.failure.hint': 'What to do about it.',
    'agents[].error': 'Only when it failed.',
    'agents[].error.code': 'See [errors.md](errors.md#error-codes).',
    'agents[].error.message': 'For people.',
    'agents[].error.hint': 'What to do about it.',
    ...WARNINGS,
  },
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
    'One entry an agent. Exits with 1 when one of them has faults, or with `--deep` cannot embed questions. Without `--deep` nobody is asked: provider and vectors are told from settings, environment and index.',
  schema: statusOutputSchema,
  meanings: {
    agents: 'In the order of the configuration.',
    ...AGENT,
    'agents[].backend': 'What answers a search.',
    'agents[].configuredBackend': '`memory.backend` of the configuration.',
    'agents[].workspaceDir': 'Absolute path of the workspace.',
    'agents[].indexFile': 'Absolute path of the index.',
    'agents[].index': 'The index as it is.',
    'agents[].index.state': '`unusable`: damaged, or of another version.',
    'agents[].index.why': 'What is wrong; only when unusable.',
    'agents[].index.statistics': 'Only when ready.',
    'agents[].index.statistics.documents': 'Files in the index.',
    'agents[].index.statistics.chunks': 'Chunks in the index.',
    'agents[].index.statistics.bySource': 'The same for each source.',
    'agents[].index.statistics.bySource[].source': 'The source.',
    'agents[].index.statistics.bySource[].documents': 'Its files.',
    'agents[].index.statistics.bySource[].chunks': 'Its chunks.',
    'agents[].index.statistics.bySource[].brokenLines':
      'Lines of transcripts that are no JSON; left out when there are none.',
    'agents[].index.statistics.media': 'Media among the files.',
    'agents[].index.statistics.media.images': 'Images.',
    'agents[].index.statistics.media.audio': 'Recordings.',
    'agents[].index.statistics.bytes': 'Size on disk, with the side files of SQLite.',
    'agents[].index.statistics.lastSync': 'When the last update ended; `null` before the first.',
    'agents[].index.rebuildBecause': 'Why the next update builds it anew; only when it will.',
    'agents[].staleness':
      'What the next update would do; left out when the workspace is unreadable.',
    'agents[].staleness.added': 'New files.',
    'agents[].staleness.changed': 'Files that may have changed: size or time differ.',
    'agents[].staleness.removed': 'Files that are gone.',
    'agents[].staleness.examples': 'Up to five of these files.',
    'agents[].sources': 'What is indexed.',
    'agents[].extraPaths': '`extraPaths` of the configuration.',
    'agents[].tokenizer': '`store.fts.tokenizer` of the configuration.',
    'agents[].mode': 'How a search can be answered with what is in the index.',
    'agents[].provider': 'The embedding provider that the settings lead to; `null` for none.',
    'agents[].model': "Its model; `null` where the vendor's own list decides.",
    'agents[].fallback': 'Who stands in; `null` for none.',
    'agents[].vectorStore': 'The vectors beside the texts.',
    'agents[].vectorStore.state':
      '`empty`: there are none. `other`: they belong to another provider, model or length than the configured. `partial`: some passages have none.',
    'agents[].vectorStore.dimensions': 'Their length; `null` where there are none.',
    'agents[].vectorStore.embedded': 'Passages with a vector that counts now.',
    'agents[].vectorStore.pending': 'Passages that `svc memory index` would embed.',
    'agents[].vectorStore.refused': 'Passages that the provider does not take.',
    'agents[].vectorStore.cached': 'Vectors kept for texts that may come back.',
    'agents[].vectorStore.ofFallback': 'Passages with a vector of the fallback.',
    'agents[].vectorStore.differences': 'What differs, for people; only when `other`.',
    'agents[].media': '`null` while `multimodal.enabled` is off; see [media.md](media.md).',
    'agents[].media.modalities': 'Which kinds are taken in.',
    'agents[].media.maxFileBytes': 'Larger files are skipped.',
    'agents[].media.unavailable':
      'Why images and recordings are found by their names alone; `null` when they are not.',
    'agents[].media.unavailable.why': 'For people.',
    'agents[].media.unavailable.mend': 'What to do about it.',
    'agents[].media.refused': 'Files that the provider does not take.',
    'agents[].media.refused[].path': 'Relative to the workspace.',
    'agents[].media.refused[].mimeType': 'What it is by its content.',
    'agents[].media.refused[].why': 'The words of the provider.',
    'agents[].ext':
      'The external search program, where `memory.backend` is `ext`; what stands beside is the builtin engine below it. See [external-search.md](external-search.md).',
    'agents[].ext.answers': 'Who would answer now.',
    'agents[].ext.why': 'Why the builtin engine would; `null` when it would not.',
    'agents[].ext.why.code': 'For programs.',
    'agents[].ext.why.message': 'For people.',
    'agents[].ext.why.hint': 'What to do about it.',
    'agents[].ext.mode': '`memory.ext.searchMode` of the configuration.',
    'agents[].ext.program': 'Absolute path of the program; `null` where there is none.',
    'agents[].ext.release': 'As it says itself; `null` until it was asked.',
    'agents[].ext.detected': 'How that release is spoken to; `null` until it was asked.',
    'agents[].ext.detected.patternFlag': 'What a pattern is given with.',
    'agents[].ext.detected.manyCollections': 'Whether one question may name several collections.',
    'agents[].ext.indexFile': 'Absolute path of its index.',
    'agents[].ext.collections': 'What it searches.',
    'agents[].ext.collections[].name': 'The name it knows.',
    'agents[].ext.collections[].root': 'Absolute path of the folder.',
    'agents[].ext.collections[].pattern': 'Which of its files.',
    'agents[].ext.collections[].source': 'Notes or conversations.',
    'agents[].ext.collections[].known': 'Whether it was told of it.',
    'agents[].ext.updated': 'The last refresh; `null` when there was none.',
    'agents[].ext.updated.at': 'When it began.',
    'agents[].ext.updated.tookMs': 'How long it took.',
    'agents[].ext.updated.files': 'How many files its collections hold.',
    'agents[].ext.updated.stale': 'Whether files changed since.',
    'agents[].ext.vectors':
      '`off` in the lexical mode. `missing`: some contents have none. `unknown`: none were made yet.',
    'agents[].ext.withoutVectors': 'Contents without one; `null` where that is not known.',
    'agents[].citations': '`memory.citations` of the configuration.',
    'agents[].watcher': 'The process that keeps the index fresh; `null` where there is none.',
    'agents[].watcher.pid': 'Its process id.',
    'agents[].watcher.since': 'When it began.',
    'agents[].watcher.mode':
      '`polling`: the system is out of watches, so it looks again and again. `interval`: changes are not followed. See [watching.md](watching.md).',
    'agents[].watcher.why': 'Why it polls; `null` otherwise.',
    ...SKIPPED,
    'agents[].faults': 'What keeps this memory from being searched or kept up to date.',
    'agents[].faults[].code': 'For programs.',
    'agents[].faults[].message': 'For people.',
    'agents[].faults[].hint': 'What to do about it.',
    'agents[].deep': 'Only with `--deep`: what `svc provider test` tells.',
    ...diagnosisMeanings('agents[].deep.'),
    ...WARNINGS,
  },
  example: {
    agents: [
      {
        agent: 'main',
        backend: 'builtin',
        configuredBackend: 'builtin',
        workspaceDir: WORKSPACE,
        indexFile: INDEX_FILE,
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
  introduction: 'One entry an agent.',
  schema: resetOutputSchema,
  meanings: {
    agents: 'In the order of the configuration.',
    ...AGENT,
    'agents[].indexFile': 'Absolute path of the index.',
    'agents[].deleted': 'False when there was none, or the answer to the question was no.',
    'agents[].bytes': 'Size of the file that was deleted.',
    ...WARNINGS,
  },
  example: {
    agents: [{ agent: 'main', indexFile: INDEX_FILE, deleted: true, bytes: 45056 }],
    warnings: [],
  },
};

const installLocal: JsonDocument = {
  title: 'svc provider install local',
  introduction: 'What is installed now.',
  schema: installLocalOutputSchema,
  meanings: {
    runtime: 'node-llama-cpp, which computes the vectors.',
    'runtime.outcome': '`absent`: there was nothing to remove.',
    'runtime.version': 'Its version; `null` when there is none.',
    'runtime.folder': 'Absolute path of the folder it is, or was, in.',
    'runtime.gpu': 'Whether the variants for GPUs are part of it.',
    'runtime.bytes': 'Size on disk.',
    model: '`null` with `--no-model` and `--remove`.',
    'model.outcome': '`already`: it was on this disk.',
    'model.name': 'The reference without what may be secret in it, or the name of the file.',
    'model.path': 'Absolute path of the file.',
    'model.bytes': 'Its size.',
    ...WARNINGS,
  },
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

const LOGIN_FILE = '/home/ada/.svc/auth/github-copilot.json';

const login: JsonDocument = {
  title: 'svc provider login',
  introduction: 'A login that worked. The code to type stands on stderr, with `--json` too.',
  schema: loginOutputSchema,
  meanings: {
    provider: 'The provider signed in to.',
    account: 'The name of the account; left out when it could not be asked for.',
    file: 'Absolute path of the login.',
    ...WARNINGS,
  },
  example: { provider: 'github-copilot', account: 'ada', file: LOGIN_FILE, warnings: [] },
};

const logout: JsonDocument = {
  title: 'svc provider logout',
  introduction: 'What became of the stored login.',
  schema: logoutOutputSchema,
  meanings: {
    provider: 'The provider.',
    file: 'Absolute path of the login.',
    outcome: '`kept`: the answer to the question was no; `none`: there was no login.',
    ...WARNINGS,
  },
  example: { provider: 'github-copilot', file: LOGIN_FILE, outcome: 'deleted', warnings: [] },
};

/** The documents of the commands. */
export const COMMAND_DOCUMENTS: readonly JsonDocument[] = [
  search,
  get,
  index,
  status,
  reset,
  ...CARE_DOCUMENTS,
  ...EVAL_DOCUMENTS,
  SCOPE_DOCUMENT,
  ...RECALL_DOCUMENTS,
  login,
  logout,
  installLocal,
  ...PROVIDER_DOCUMENTS,
  ...overviewDocuments(status),
  DOCTOR_DOCUMENT,
  ...SERVE_DOCUMENTS,
  ...WEBHOOK_DOCUMENTS,
  MCP_DOCUMENT,
  ...FLOW_DOCUMENTS,
  ...INTEGRATE_DOCUMENTS,
  ...DREAM_DOCUMENTS,
];

/** What every command prints when it fails. */
export const ERROR_DOCUMENT: JsonDocument = {
  title: 'Errors',
  introduction:
    'What any command prints instead of its document when it fails. The exit code is the same as without `--json`.',
  schema: errorOutputSchema,
  meanings: {
    error: 'The one error that ended the command.',
    'error.code': 'See [errors.md](errors.md#error-codes).',
    'error.message': 'For people.',
    'error.hint': 'What to do about it.',
    'error.location': 'Where in a file.',
    'error.location.file': 'Absolute path.',
    'error.location.line': 'Counted from 1.',
    'error.location.column': 'Counted from 1, in UTF-16 code units.',
    'error.details': 'More for programs, by code: `CONFIG_INVALID` lists its `faults` here.',
  },
  example: {
    error: {
      code: 'DOCUMENT_NOT_INDEXED',
      message: 'notes.md is not an indexed file',
      hint: 'use a path that "svc memory search" shows',
    },
  },
};

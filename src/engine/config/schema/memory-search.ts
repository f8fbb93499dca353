import * as z from 'zod/mini';
import { DOCUMENT_FORMATS } from '../../support/document-format.js';
import { MOST_IGNORE_PATTERNS } from '../../support/ignore-pattern.js';
import { atMost, nonEmpty } from '../../support/lengths.js';
import {
  baseUrl,
  days,
  decimal,
  glob,
  ignorePattern,
  integer,
  key,
  requiredKey,
  section,
  text,
  waitingTime,
  waitingTimePart,
} from './keys.js';
import { headers, secret } from './secrets.js';

const batch = () => ({
  enabled: key(
    z.boolean(),
    "Embed with the vendor's batch API instead of inline requests; fewer than 50 passages are embedded inline if others have vectors",
  ),
  concurrency: key(integer(1, 1000), 'Maximum number of concurrent batch jobs'),
  wait: key(z.boolean(), 'Wait for batch jobs before the command returns'),
  pollIntervalMs: key(
    waitingTime('milliseconds', 1),
    'Pause between polls of a batch job, in milliseconds',
  ),
  timeoutMinutes: key(waitingTimePart('minutes', 0.01), 'Time limit of a batch job, in minutes'),
});

const remote = () => ({
  baseUrl: key(baseUrl(), "URL of an OpenAI-compatible endpoint to use instead of the vendor's"),
  apiKey: key(secret(), 'API key of that endpoint; see [Secrets](#secrets)'),
  headers: key(headers(), 'Additional request headers; values are treated as secrets'),
  nonBatchConcurrency: key(
    integer(1, 1000),
    'Maximum number of concurrent inline embedding requests',
  ),
  batch: section('Batch indexing, for `openai`, `gemini` and `voyage`', batch),
});

const local = () => ({
  modelPath: key(
    text(),
    'GGUF file for the `local` adapter, or an `hf:` or http(s) reference to download; `provider` `auto` selects `local` only if this model is on disk',
  ),
  modelCacheDir: key(text(), 'Folder for downloaded models'),
  contextSize: key(integer(128), 'Context window of the local model, in tokens'),
});

const multimodal = () => ({
  enabled: key(z.boolean(), 'Index images and audio; needs an adapter that can embed them'),
  modalities: key(
    z.array(z.enum(['image', 'audio', 'all'])).check(nonEmpty()),
    'Which media to index',
  ),
  maxFileBytes: key(integer(1), 'Skip larger media files, in bytes'),
});

const experimental = () => ({
  sessionMemory: key(z.boolean(), 'Index session transcripts; `sources` must include them too'),
});

const ext = () => ({
  extraCollections: key(
    z.array(collection()),
    'Collections for this agent only, in addition to `memory.ext.paths`; of entries with the same path, the first counts',
  ),
});

/** `agents.defaults.memorySearch` and `agents.list[].memorySearch` (spec/memory-search §2.1–§2.11). */
export function memorySearch() {
  return z.strictObject({
    enabled: key(z.boolean(), 'Enable memory search'),
    provider: key(
      text(),
      'Embedding adapter by id or kind, or the id of a `models.providers` entry; `auto` selects the first available, `none` uses keyword search only',
    ),
    model: key(text(), 'Embedding model; changing it re-embeds everything'),
    fallback: key(
      text(),
      'Adapter used when the provider fails, or, if `auto` never detects it, when `auto` finds none; `none` for no fallback',
    ),
    outputDimensionality: key(
      integer(1, 65_536),
      'Length of the vectors, for models that support several; changing it re-embeds everything',
    ),
    inputType: key(text(), '`input_type` sent with queries and documents'),
    queryInputType: key(text(), '`input_type` sent with queries'),
    documentInputType: key(text(), '`input_type` sent with documents'),
    sources: key(
      z.array(z.enum(['memory', 'sessions'])).check(nonEmpty()),
      'What to search: memory files, session transcripts. Memory files are indexed in any case',
    ),
    extraPaths: key(
      z.array(text()),
      'Additional folders and files to index, absolute or relative to the workspace; those of an agent are added to the defaults',
    ),
    exclude: key(
      z.array(ignorePattern()).check(atMost(MOST_IGNORE_PATTERNS)),
      'Files and folders that are not indexed, as gitignore patterns relative to the workspace, or to the extra path; those of an agent are added to the defaults. See [Excluding files](memory-files.md#excluding-files)',
    ),
    respectGitignore: key(
      z.boolean(),
      'Whether files that git ignores are excluded. Unset: only in `extraPaths` that are git work trees',
    ),
    documents: key(
      z.array(z.enum(DOCUMENT_FORMATS)),
      'Other kinds of documents to index besides Markdown, where notes are indexed. See [Documents](documents.md)',
    ),
    remote: section('Endpoint, key and request settings of the provider', remote),
    local: section('The `local` adapter', local),
    chunking: section('How to split documents', chunking),
    query: section('Search settings', query),
    sync: section('When to update the index', sync),
    multimodal: section('Images and audio', multimodal),
    cache: section('Cached embeddings', cache),
    experimental: section('Experimental features', experimental),
    store: section('The index database', store),
    ext: section('Settings for the external backend', ext),
  });
}

/** A folder that the external backend searches (spec/memory-search §2.6, §2.12). */
export function collection() {
  return z.strictObject({
    path: requiredKey(text(), 'Folder, absolute or relative to the workspace'),
    name: key(text(), 'Name of the collection'),
    pattern: key(glob(), 'Glob of files to include, relative to the folder'),
  });
}

/** `memorySearch.chunking`: sizes in tokens. */
const chunking = () => ({
  tokens: key(integer(16, 8192), 'Size of a chunk, in tokens'),
  overlap: key(integer(0, 8191), 'Tokens shared by neighboring chunks; less than `tokens`'),
});

const mmr = () => ({
  enabled: key(z.boolean(), 'Prefer results that differ from those above them'),
  lambda: key(decimal(0, 1), '1 ranks by relevance only, 0 by difference only'),
});

const temporalDecay = () => ({
  enabled: key(
    z.boolean(),
    'Lower the scores of old notes; MEMORY.md and undated files in memory/ never age',
  ),
  halfLifeDays: key(decimal(1), 'Age at which a score is halved, in days'),
});

const hybrid = () => ({
  enabled: key(z.boolean(), 'Combine BM25 and vector search'),
  vectorWeight: key(decimal(0, 1), 'Weight of the vector score'),
  textWeight: key(decimal(0, 1), 'Weight of the BM25 score'),
  candidateMultiplier: key(
    decimal(1),
    'Candidates to rank per result; between 24 and 400 in total',
  ),
  mmr: section('Diversity of the results', mmr),
  temporalDecay: section('Age of the results', temporalDecay),
});

const endpoint = () => ({
  baseUrl: key(baseUrl(), "URL to use instead of the vendor's; `/rerank` is added to it"),
  apiKey: key(secret(), 'API key of the reranker; see [Secrets](#secrets)'),
  headers: key(headers(), 'Additional request headers; values are treated as secrets'),
});

const budget = () => ({
  charsPerSearch: key(
    integer(1000),
    'Maximum number of characters to send per search, with the query counted for each passage; the best candidates are sent first',
  ),
  searchesPerDay: key(
    integer(1),
    'Maximum number of searches to rerank per day (UTC), for all agents together; cached answers do not count',
  ),
});

const rerank = () => ({
  provider: key(
    z.enum(['none', 'voyage', 'cohere', 'jina', 'compatible', 'local', 'chat']),
    'Reranker: a vendor, a `compatible` server with a `/rerank` endpoint, a `local` model file, or a `chat` model; `none` for no reranking',
  ),
  model: key(
    text(),
    'Reranking model; for `local` a GGUF file or a downloaded `hf:` reference, for `chat` `provider/model`',
  ),
  topN: key(integer(2, 100), 'How many of the best candidates to rerank'),
  timeoutMs: key(
    waitingTime('milliseconds', 100),
    'How long a search waits for the reranker before it keeps the order without it, in milliseconds',
  ),
  remote: section('Endpoint and key of the reranker', endpoint),
  budget: section('Limits of what is sent', budget),
});

/** `memorySearch.query` (spec/memory-search §2.5). */
const query = () => ({
  maxResults: key(integer(1, 1000), 'Maximum number of results'),
  minScore: key(decimal(0, 1), 'Omit results below this score'),
  timeoutSeconds: key(
    decimal(0.1, 600),
    'How long a search waits for the embedding provider before it falls back to keywords',
  ),
  snippetChars: key(integer(40, 20_000), 'Maximum length of a snippet, in characters'),
  hybrid: section('How to combine lexical and vector scores', hybrid),
  rerank: section('Reordering the best candidates with a reranking model', rerank),
});

/** `memorySearch.cache` (spec/memory-search §2.8). */
const cache = () => ({
  enabled: key(
    z.boolean(),
    'Cache the embeddings of chunks, so that unchanged text is not sent again',
  ),
  maxEntries: key(
    integer(1),
    'Maximum number of embeddings; the least recently used are dropped first',
  ),
});

const sessions = () => ({
  deltaBytes: key(
    integer(0),
    'Growth of a transcript after which a watcher indexes it again, in bytes; more than 4 MB counts as 4 MB',
  ),
  deltaMessages: key(
    integer(0),
    'Number of new messages after which a watcher indexes a transcript again',
  ),
  postCompactionForce: key(z.boolean(), 'Index a transcript right after compaction'),
  retention: key(
    z.enum(['follow', 'keep']),
    'What happens to conversations that their agent deletes: `follow` removes them from memory, `keep` archives conversations while they exist',
  ),
  maxAgeDays: key(
    days(0),
    'Age after which archived conversations are deleted, in days; 0 for no limit',
  ),
  maxBytes: key(
    integer(0),
    'Size of the archived conversations, compressed, over which the oldest are deleted; 0 for no limit',
  ),
  imports: key(
    z.array(text()),
    'Data exports of ChatGPT or Claude: `conversations.json`, or the zip that contains it',
  ),
});

/** `memorySearch.sync` (spec/memory-search §2.4, §2.10). */
const sync = () => ({
  onSearch: key(z.boolean(), 'Index changed files before each search'),
  onSessionStart: key(
    z.boolean(),
    'Index changed files when `svc mcp` starts, also without `watch`',
  ),
  watch: key(z.boolean(), 'Watch for file changes while a long-running process runs'),
  watchDebounceMs: key(
    waitingTime('milliseconds', 0),
    'Quiet time after a change before it is indexed, in milliseconds',
  ),
  intervalMinutes: key(
    waitingTime('minutes', 0),
    'Interval of regular syncs, in minutes; 0 disables them',
  ),
  embeddingBatchTimeoutSeconds: key(
    waitingTimePart('seconds', 0.1),
    'Time limit of an inline embedding request, in seconds',
  ),
  sessions: section('When to index transcripts, and which to keep', sessions),
});

const vector = () => ({
  enabled: key(
    z.boolean(),
    'Use the vector extension; without it, vectors are compared in process',
  ),
  extensionPath: key(text(), 'Vector extension to load'),
});

const fts = () => ({
  tokenizer: key(
    z.enum(['unicode61', 'trigram']),
    'Tokenizer of the full-text index: words, or sequences of three characters',
  ),
});

/** `memorySearch.store` (spec/memory-search §2.11). */
const store = () => ({
  driver: key(z.literal('sqlite'), 'Type of index database'),
  path: key(text(), 'Index database; `{agentId}` is replaced by the agent'),
  vector: section('Vector queries', vector),
  fts: section('Full-text queries', fts),
});

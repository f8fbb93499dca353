import * as z from 'zod/mini';
import { integer, key, section, text } from './keys.js';

/** `memorySearch.cache` (spec/memory-search §2.8). */
export function cache() {
  return z.strictObject({
    enabled: key(
      z.boolean(),
      'Keep the embeddings of chunks, so that unchanged text is not sent again',
    ),
    maxEntries: key(integer(1), 'Embeddings kept; the least recently used go first'),
  });
}

const sessions = () =>
  z.strictObject({
    deltaBytes: key(integer(0), 'Growth of a transcript that makes it due for indexing, in bytes'),
    deltaMessages: key(integer(0), 'New messages that make a transcript due for indexing'),
    postCompactionForce: key(z.boolean(), 'Index a transcript right after it was compacted'),
  });

/** `memorySearch.sync` (spec/memory-search §2.4, §2.10). */
export function sync() {
  return z.strictObject({
    onSearch: key(z.boolean(), 'Take in changed files before a search is answered'),
    onSessionStart: key(z.boolean(), 'Take in changed files when a session starts'),
    watch: key(z.boolean(), 'Follow file changes while a long-lived process runs'),
    watchDebounceMs: key(
      integer(0),
      'Quiet time after a change before it is taken in, in milliseconds',
    ),
    intervalMinutes: key(integer(0), 'Sync at this interval, in minutes; 0 is never'),
    embeddingBatchTimeoutSeconds: key(
      integer(1),
      'How long one inline embedding call may take, in seconds',
    ),
    sessions: section(sessions, 'When a transcript is worth indexing again'),
  });
}

const vector = () =>
  z.strictObject({
    enabled: key(
      z.boolean(),
      'Use the vector extension; without it vectors are compared in process',
    ),
    extensionPath: key(text(), 'Vector extension to load'),
  });

const fts = () =>
  z.strictObject({
    tokenizer: key(
      z.enum(['unicode61', 'trigram']),
      'Tokenizer of the full-text index: words, or runs of three characters',
    ),
  });

/** `memorySearch.store` (spec/memory-search §2.11). */
export function store() {
  return z.strictObject({
    driver: key(z.literal('sqlite'), 'Kind of index database'),
    path: key(text(), 'Index database; `{agentId}` stands for the agent'),
    vector: section(vector, 'Vector queries'),
    fts: section(fts, 'Full-text queries'),
  });
}

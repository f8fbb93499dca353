import * as z from 'zod/mini';
import { collection } from './collection.js';
import { httpUrl, integer, key, nonEmpty, section, text } from './keys.js';
import { chunking, query } from './memory-search-query.js';
import { cache, store, sync } from './memory-search-storage.js';
import { headers, secret } from './secret.js';

const batch = () =>
  z.strictObject({
    enabled: key(z.boolean(), "Embed through the vendor's batch API instead of inline calls"),
    concurrency: key(integer(1, 64), 'Batch jobs under way at the same time'),
    wait: key(z.boolean(), 'Wait for batch jobs to end before the command returns'),
    pollIntervalMs: key(integer(100), 'Pause between two looks at a batch job, in milliseconds'),
    timeoutMinutes: key(integer(1), 'How long a batch job may take, in minutes'),
  });

const remote = () =>
  z.strictObject({
    baseUrl: key(
      httpUrl(),
      'Address of an OpenAI-compatible endpoint to use instead of the vendor',
    ),
    apiKey: key(secret(), 'Key for that endpoint; see [Secrets](#secrets)'),
    headers: key(headers(), 'Further request headers; values are treated as secrets'),
    nonBatchConcurrency: key(integer(1, 64), 'Inline embedding calls under way at the same time'),
    batch: section(batch, 'Batch indexing, for `openai`, `gemini` and `voyage`'),
  });

const local = () =>
  z.strictObject({
    modelPath: key(
      text(),
      'GGUF file for the `local` adapter, or an `hf:` or http(s) reference that is downloaded; `provider` `auto` chooses `local` only when this file exists',
    ),
    modelCacheDir: key(text(), 'Folder for downloaded models'),
    contextSize: key(integer(128), 'Context window of the local model, in tokens'),
  });

const multimodal = () =>
  z.strictObject({
    enabled: key(z.boolean(), 'Index images and audio; needs an adapter that can embed them'),
    modalities: key(
      z.array(z.enum(['image', 'audio', 'all'])).check(nonEmpty()),
      'Which media to index',
    ),
    maxFileBytes: key(integer(1), 'Larger media files are skipped, in bytes'),
  });

const experimental = () =>
  z.strictObject({
    sessionMemory: key(z.boolean(), 'Index session transcripts; `sources` must name them too'),
  });

const ext = () =>
  z.strictObject({
    extraCollections: key(
      z.array(collection()),
      'Collections that only this agent searches, added to `memory.ext.paths`; the same path counts once, its first entry',
    ),
  });

/** `agents.defaults.memorySearch` and `agents.list[].memorySearch` (spec/memory-search §2.1–§2.11). */
export function memorySearch() {
  return z.strictObject({
    enabled: key(z.boolean(), 'Whether memory can be searched at all'),
    provider: key(
      text(),
      'Embedding adapter by id or kind, or the id of a `models.providers` entry; `auto` takes the first available, `none` searches words alone',
    ),
    model: key(text(), 'Embedding model; a change reindexes everything'),
    fallback: key(text(), 'Adapter used when the provider fails; `none` for no fallback'),
    outputDimensionality: key(
      integer(1, 65_536),
      'Length of the vectors, for models that offer several; a change reindexes everything',
    ),
    inputType: key(text(), '`input_type` sent with queries and documents alike'),
    queryInputType: key(text(), '`input_type` sent with queries'),
    documentInputType: key(text(), '`input_type` sent with documents'),
    sources: key(
      z.array(z.enum(['memory', 'sessions'])).check(nonEmpty()),
      'What is searched: memory files, session transcripts',
    ),
    extraPaths: key(
      z.array(text()),
      'Further folders and files to index, absolute or relative to the workspace; an agent adds to those of the defaults',
    ),
    remote: section(remote, 'Endpoint, key and request settings of the provider'),
    local: section(local, 'The `local` adapter'),
    chunking: section(chunking, 'How documents are cut'),
    query: section(query, 'How a search is answered'),
    sync: section(sync, 'When the index is brought up to date'),
    multimodal: section(multimodal, 'Images and audio'),
    cache: section(cache, 'Embeddings kept between runs'),
    experimental: section(experimental, 'Features that may still change'),
    store: section(store, 'The index database'),
    ext: section(ext, 'Additions for the external backend'),
  });
}

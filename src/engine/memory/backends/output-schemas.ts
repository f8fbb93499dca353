import * as z from 'zod/mini';
import { diagnosisSchema } from '../../embeddings/output-schemas.js';
import {
  count,
  type DeepReadonly,
  type DocumentOf,
  documentSchema,
  field,
  forDisplay,
  hint,
  listField,
  listOf,
  objectField,
  objectOrNullField,
  optionalObjectField,
  warningsSchema as warnings,
} from '../../errors/output-schema.js';
import { whyOutput } from '../inspect/output-schemas.js';
import {
  agentId,
  backendName,
  documentCounts,
  path,
  searchMode,
  skipped,
  source,
  workspace,
} from '../output-schemas.js';

const INDEX_STATES =
  '`unusable`: damaged, or of an older version; `newer`: of a newer version, and only rebuilt by `svc memory index --force`.';

const statusOutput = z.strictObject({
  agent: agentId,
  backend: field(backendName, 'The backend that answers searches.'),
  configuredBackend: field(z.string(), '`memory.backend` of the configuration.'),
  workspaceDir: workspace,
  indexFile: field(z.nullable(z.string()), 'Absolute path of the index; `null` if it is shared.'),
  shared: objectOrNullField(
    'Where the index is shared with other hosts; `null` for an index of this host. See [teams.md](teams.md).',
    {
      server: field(z.string(), '`host:port/database`.'),
      origin: field(z.string(), 'The name of this host: `storage.origin`.'),
      origins: field(
        z.nullable(
          listOf({
            origin: field(z.string(), 'The name of a host.'),
            documents: field(count, 'Its files.'),
            chunks: field(count, 'Their chunks.'),
            lastSync: field(
              z.nullable(z.iso.datetime()),
              'Time of its last update, by its clock; `null` before the first.',
            ),
          }),
        ),
        'All hosts that indexed something, by name; `null` if the server cannot be used.',
      ),
    },
  ),
  index: field(
    z.discriminatedUnion('state', [
      z.strictObject({
        state: field(z.literal('missing'), INDEX_STATES),
      }),
      z.strictObject({
        state: field(z.literal('unusable'), INDEX_STATES),
        why: field(z.string(), 'Only if unusable or newer.'),
      }),
      z.strictObject({
        state: field(z.literal('newer'), INDEX_STATES),
        why: field(z.string(), 'Only if unusable or newer.'),
      }),
      z.strictObject({
        state: field(z.literal('ready'), INDEX_STATES),
        statistics: objectField('Only if ready.', {
          ...documentCounts.shape,
          bytes: field(count, 'Size on disk, including side files of SQLite.'),
          lastSync: field(
            z.nullable(z.iso.datetime()),
            'Time of the last update; `null` before the first.',
          ),
        }),
        rebuildBecause: field(
          z.optional(z.string()),
          'Why the next update rebuilds it; omitted if it does not.',
        ),
      }),
    ]),
    'State of the index.',
  ),
  staleness: optionalObjectField(
    'What the next update would do; omitted if the workspace is unreadable, the server of a shared index cannot be used, or the index is newer.',
    {
      added: field(count, 'New files.'),
      changed: field(
        count,
        'Files to read again, because their size or time differs, or the list of forgotten text.',
      ),
      removed: field(count, 'Files that are gone.'),
      examples: field(z.array(z.string()), 'Up to five of these files.'),
    },
  ),
  sources: field(z.array(source), 'Indexed sources.'),
  extraPaths: field(z.array(z.string()), '`extraPaths` of the configuration.'),
  excluded: field(
    count,
    'Files and folders that patterns exclude; what is in such a folder is not counted.',
  ),
  frontMatter: listField(
    'Notes whose front matter cannot be read, so that filters do not know its properties. Their text is indexed.',
    {
      path: field(z.string(), 'The note, relative to the workspace.'),
      why: forDisplay,
    },
  ),
  tokenizer: field(z.string(), '`store.fts.tokenizer` of the configuration.'),
  mode: field(searchMode, 'Search mode that the index supports now.'),
  provider: field(z.nullable(z.string()), 'The selected embedding provider; `null` for none.'),
  model: field(z.nullable(z.string()), 'Its model; `null` if the vendor chooses.'),
  fallback: field(z.nullable(z.string()), 'The fallback provider; `null` for none.'),
  vectorStore: objectField('State of the vectors.', {
    state: field(
      z.enum(['empty', 'other', 'partial', 'whole']),
      '`empty`: none from the provider. `other`: from another provider, model or length than configured. `partial`: some passages have none.',
    ),
    dimensions: field(z.nullable(count), 'Length of the vectors; `null` for none.'),
    embedded: field(count, 'Passages with a usable vector.'),
    pending: field(count, 'Passages that `svc memory index` would embed.'),
    refused: field(count, 'Passages that the provider refuses.'),
    cached: field(count, 'Vectors kept for texts that may return.'),
    ofFallback: field(count, 'Passages with a vector of the fallback.'),
    differences: field(
      z.array(z.string()),
      'Differences from the settings, for display; only if `other`.',
    ),
    batchJobs: field(
      z.array(z.iso.datetime()),
      'When each batch job at the provider was created whose vectors have not been collected yet, oldest first.',
    ),
  }),
  media: objectOrNullField('`null` while `multimodal.enabled` is off; see [media.md](media.md).', {
    modalities: field(z.array(z.enum(['audio', 'image'])), 'Indexed kinds.'),
    maxFileBytes: field(count, 'Larger files are skipped.'),
    unavailable: objectOrNullField('Why media can only be found by name; `null` otherwise.', {
      why: forDisplay,
      hint,
    }),
    refused: listField('Files that the provider refuses.', {
      path,
      mimeType: field(z.string(), 'Detected from the content.'),
      why: field(z.string(), 'Message of the provider.'),
    }),
  }),
  ext: objectOrNullField(
    'The external search program, if `memory.backend` is `ext`; the other fields describe the builtin engine behind it. See [external-search.md](external-search.md).',
    {
      answers: field(backendName, 'The backend that would answer now.'),
      why: objectOrNullField('Why the builtin engine would answer; `null` otherwise.', {
        code: field(z.string(), 'For programs.'),
        message: forDisplay,
        hint,
      }),
      mode: field(
        z.enum(['query', 'search', 'vsearch']),
        '`memory.ext.searchMode` of the configuration.',
      ),
      program: field(z.nullable(z.string()), 'Absolute path of the program; `null` if not found.'),
      release: field(
        z.nullable(z.string()),
        'Version that the program reports; `null` until asked.',
      ),
      detected: objectOrNullField('Capabilities of the release; `null` until asked.', {
        patternFlag: field(z.string(), 'Flag for a pattern.'),
        manyCollections: field(z.boolean(), 'Whether one query can name several collections.'),
      }),
      indexFile: field(z.string(), 'Absolute path of its index.'),
      collections: listField('Its collections.', {
        name: field(z.string(), 'Name of the collection.'),
        root: field(z.string(), 'Absolute path of the folder.'),
        pattern: field(z.string(), 'Glob of its files.'),
        source: field(source, 'Source of its files.'),
        known: field(z.boolean(), 'Whether the program has it.'),
      }),
      updated: objectOrNullField('The last refresh; `null` if there was none.', {
        at: field(z.iso.datetime(), 'Start time.'),
        tookMs: field(z.number(), 'Duration in milliseconds.'),
        files: field(count, 'Number of files in its collections.'),
        stale: field(z.boolean(), 'Whether files have changed since.'),
      }),
      vectors: field(
        z.enum(['missing', 'off', 'ready', 'unknown']),
        '`off` in lexical mode. `missing`: some documents have none. `unknown`: none were created yet.',
      ),
      withoutVectors: field(z.nullable(count), 'Documents without a vector; `null` if unknown.'),
    },
  ),
  citations: field(z.enum(['auto', 'on', 'off']), '`memory.citations` of the configuration.'),
  watcher: objectOrNullField('The process that keeps the index fresh; `null` for none.', {
    pid: field(count, 'Its process id.'),
    since: field(z.iso.datetime(), 'Start time.'),
    mode: field(
      z.enum(['interval', 'polling', 'watching']),
      '`polling`: file watching is unavailable, so files are polled. `interval`: changes are not followed. See [watching.md](watching.md).',
    ),
    why: field(z.nullable(z.string()), 'Why it is polling; `null` otherwise.'),
  }),
  skipped: field(skipped, 'Files and folders that cannot be indexed.'),
  faults: field(warnings, 'Problems that prevent searches or updates.'),
  why: field(z.optional(whyOutput), 'Only with `--why`.'),
  deep: field(
    z.optional(diagnosisSchema),
    'Only with `--deep`: the result of `svc provider test`.',
  ),
});

/** `svc memory status --json`. */
export const statusOutputSchema = documentSchema({
  agents: field(z.array(statusOutput), 'In the order of the configuration.'),
});

/** `svc memory reset --json`. */
export const resetOutputSchema = documentSchema({
  agents: listField('In the order of the configuration.', {
    agent: agentId,
    indexFile: field(z.nullable(z.string()), 'Absolute path of the index; `null` if it is shared.'),
    deleted: field(z.boolean(), 'False if there was none, or the user declined.'),
    bytes: field(count, 'Size of the deleted file; 0 if the index is shared.'),
    documents: field(
      z.optional(count),
      'Only if the index is shared: files of this host that were deleted from it.',
    ),
  }),
});

export type StatusOutput = DeepReadonly<z.infer<typeof statusOutput>>;
export type StatusesOutput = DocumentOf<typeof statusOutputSchema>;
export type ResetOutput = DocumentOf<typeof resetOutputSchema>;

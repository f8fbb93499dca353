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
  configuredBackend: field.text('`memory.backend` of the configuration.'),
  workspaceDir: workspace,
  indexFile: field.textOrNull('Absolute path of the index; `null` if it is shared.'),
  shared: objectOrNullField(
    'Where the index is shared with other hosts; `null` for an index of this host. See [teams.md](teams.md).',
    {
      server: field.text('`host:port/database`.'),
      origin: field.text('The name of this host: `storage.origin`.'),
      origins: field(
        z.nullable(
          listOf({
            origin: field.text('The name of a host.'),
            documents: field.count('Its files.'),
            chunks: field.count('Their chunks.'),
            lastSync: field.timeOrNull(
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
        why: field.text('Only if unusable or newer.'),
      }),
      z.strictObject({
        state: field(z.literal('newer'), INDEX_STATES),
        why: field.text('Only if unusable or newer.'),
      }),
      z.strictObject({
        state: field(z.literal('ready'), INDEX_STATES),
        statistics: objectField('Only if ready.', {
          ...documentCounts.shape,
          bytes: field.count('Size on disk, including side files of SQLite.'),
          lastSync: field.timeOrNull('Time of the last update; `null` before the first.'),
        }),
        rebuildBecause: field.optionalText(
          'Why the next update rebuilds it; omitted if it does not.',
        ),
      }),
    ]),
    'State of the index.',
  ),
  staleness: optionalObjectField(
    'What the next update would do; omitted if the workspace is unreadable, the server of a shared index cannot be used, or the index is newer.',
    {
      added: field.count('New files.'),
      changed: field.count(
        'Files to read again, because their size or time differs, or the list of forgotten text.',
      ),
      removed: field.count('Files that are gone.'),
      examples: field.texts('Up to five of these files.'),
    },
  ),
  sources: field(z.array(source), 'Indexed sources.'),
  extraPaths: field.texts('`extraPaths` of the configuration.'),
  excluded: field.count(
    'Files and folders that patterns exclude; what is in such a folder is not counted.',
  ),
  frontMatter: listField(
    'Notes whose front matter cannot be read, so that filters do not know its properties. Their text is indexed.',
    {
      path: field.text('The note, relative to the workspace.'),
      why: forDisplay,
    },
  ),
  tokenizer: field.text('`store.fts.tokenizer` of the configuration.'),
  mode: field(searchMode, 'Search mode that the index supports now.'),
  provider: field.textOrNull('The selected embedding provider; `null` for none.'),
  model: field.textOrNull('Its model; `null` if the vendor chooses.'),
  fallback: field.textOrNull('The fallback provider; `null` for none.'),
  vectorStore: objectField('State of the vectors.', {
    state: field(
      z.enum(['empty', 'other', 'partial', 'whole']),
      '`empty`: none from the provider. `other`: from another provider, model or length than configured. `partial`: some passages have none.',
    ),
    dimensions: field(z.nullable(count), 'Length of the vectors; `null` for none.'),
    embedded: field.count('Passages with a usable vector.'),
    pending: field.count('Passages that `svc memory index` would embed.'),
    refused: field.count('Passages that the provider refuses.'),
    cached: field.count(
      'Vectors kept for texts that may return, or for models that may be used again.',
    ),
    ofFallback: field.count('Passages with a vector of the fallback.'),
    differences: field.texts('Differences from the settings, for display; only if `other`.'),
    batchJobs: field(
      z.array(z.iso.datetime()),
      'When each batch job at the provider was created whose vectors have not been collected yet, oldest first.',
    ),
  }),
  media: objectOrNullField('`null` while `multimodal.enabled` is off; see [media.md](media.md).', {
    modalities: field(z.array(z.enum(['audio', 'image'])), 'Indexed kinds.'),
    maxFileBytes: field.count('Larger files are skipped.'),
    unavailable: objectOrNullField('Why media can only be found by name; `null` otherwise.', {
      why: forDisplay,
      hint,
    }),
    refused: listField('Files that the provider refuses.', {
      path,
      mimeType: field.text('Detected from the content.'),
      why: field.text('Message of the provider.'),
    }),
  }),
  ext: objectOrNullField(
    'The external search program, if `memory.backend` is `ext`; the other fields describe the built-in engine behind it. See [external-search.md](external-search.md).',
    {
      answers: field(backendName, 'The backend that would answer now.'),
      why: objectOrNullField('Why the built-in engine would answer; `null` otherwise.', {
        code: field.text('For programs.'),
        message: forDisplay,
        hint,
      }),
      mode: field(
        z.enum(['query', 'search', 'vsearch']),
        '`memory.ext.searchMode` of the configuration.',
      ),
      program: field.textOrNull('Absolute path of the program; `null` if not found.'),
      release: field.textOrNull('Version that the program reports; `null` until asked.'),
      detected: objectOrNullField('Capabilities of the release; `null` until asked.', {
        patternFlag: field.text('Flag for a pattern.'),
        manyCollections: field.flag('Whether one query can name several collections.'),
      }),
      indexFile: field.text('Absolute path of its index.'),
      collections: listField('Its collections.', {
        name: field.text('Name of the collection.'),
        root: field.text('Absolute path of the folder.'),
        pattern: field.text('Glob of its files.'),
        source: field(source, 'Source of its files.'),
        known: field.flag('Whether the program has it.'),
      }),
      updated: objectOrNullField('The last refresh; `null` if there was none.', {
        at: field.time('Start time.'),
        tookMs: field(z.number(), 'Duration in milliseconds.'),
        files: field.count('Number of files in its collections.'),
        stale: field.flag('Whether files have changed since.'),
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
    pid: field.count('Its process id.'),
    since: field.time('Start time.'),
    mode: field(
      z.enum(['interval', 'polling', 'watching']),
      '`polling`: file watching is unavailable, so files are polled. `interval`: changes are not followed. See [watching.md](watching.md).',
    ),
    why: field.textOrNull('Why it is polling; `null` otherwise.'),
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
    indexFile: field.textOrNull('Absolute path of the index; `null` if it is shared.'),
    deleted: field.flag('False if there was none, or the user declined.'),
    bytes: field.count('Size of the deleted file; 0 if the index is shared.'),
    documents: field(
      z.optional(count),
      'Only if the index is shared: files of this host that were deleted from it.',
    ),
  }),
});

export type StatusOutput = DeepReadonly<z.infer<typeof statusOutput>>;
export type StatusesOutput = DocumentOf<typeof statusOutputSchema>;
export type ResetOutput = DocumentOf<typeof resetOutputSchema>;

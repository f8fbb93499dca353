import * as z from 'zod/mini';
import { diagnosisSchema } from '../embeddings/output-schemas.js';
import {
  count,
  type DeepReadonly,
  type DocumentOf,
  documentSchema,
  field,
  line,
  warningsSchema as warnings,
} from '../errors/output-schema.js';

/*
 * Schemas of the JSON documents that the memory commands print. They are checked by tests and make
 * docs/json.md; no command loads them.
 */

const source = z.enum(['memory', 'sessions']);
const kind = z.enum(['markdown', 'media', 'transcript']);
const score = z.number().check(z.minimum(0), z.maximum(1));

const forDisplay = field(z.string(), 'For display.');
const hint = field(z.string(), 'How to fix it.');
const agentId = field(z.nullable(z.string()), 'Its id; `null` with `--workspace`.');
const workspace = field(z.string(), 'Absolute path of the workspace.');
const path = field(z.string(), 'Relative to the workspace.');
const failure = z.strictObject({
  code: field(z.string(), 'See [errors.md](errors.md#error-codes).'),
  message: forDisplay,
  hint: field(z.optional(z.string()), 'How to fix it.'),
});

const skipped = z.array(
  z.strictObject({
    path,
    reason: field(
      z.enum([
        'missing',
        'not_a_file',
        'permission_denied',
        'symlink',
        'too_large',
        'unreadable',
        'vanished',
        'wrong_format',
      ]),
      'See [memory-files.md](memory-files.md#what-is-skipped).',
    ),
    detail: field(z.optional(z.string()), 'Details, such as a limit or the system error.'),
  }),
);

export const searchOutputSchema = documentSchema({
  query: field(z.string(), 'The query as given.'),
  agent: field(z.nullable(z.string()), 'The searched agent; `null` with `--workspace`.'),
  workspace,
  backend: field(z.enum(['builtin', 'ext']), 'The backend that answered.'),
  mode: field(
    z.enum(['hybrid', 'lexical', 'vector']),
    '`lexical` (keywords), `vector`, or `hybrid` (both).',
  ),
  provider: field(
    z.nullable(z.string()),
    'The provider that embedded the query; `null` in lexical search.',
  ),
  model: field(z.nullable(z.string()), 'Its model; `null` in lexical search.'),
  dates: field(
    z.nullable(
      z.strictObject({
        text: field(z.string(), 'The date as written in the query.'),
        from: field(z.iso.date(), 'First day.'),
        to: field(z.iso.date(), 'Last day.'),
        passages: field(count, 'Passages of these days; with 0, the date has no effect.'),
      }),
    ),
    'The date that the query asks about; `null` for none. See [search.md](search.md#dates).',
  ),
  results: field(
    z.array(
      z.strictObject({
        path: field(z.string(), 'Relative to the workspace, with forward slashes.'),
        startLine: field(line, 'First line of the passage, 1-based.'),
        endLine: field(line, 'Last line of the passage, included.'),
        score: field(score, '0 to 1; see [search.md](search.md#scores).'),
        snippet: field(z.string(), 'The passage, or its best lines with `…` between them.'),
        snippetLine: field(line, 'Line number of the start of the snippet.'),
        source: field(source, 'The source of the file.'),
        kind: field(kind, '`markdown` for notes, `media` for images and audio, or `transcript`.'),
        mimeType: field(z.optional(z.string()), 'Only for media; detected from the content.'),
        headingPath: field(z.array(z.string()), 'The headings above the passage, outermost first.'),
        citation: field(
          z.optional(z.string()),
          '`path#L3-L5`; omitted if `memory.citations` is `off`.',
        ),
        similarCount: field(
          z.optional(count),
          'Passages ranked lower that say the same, and so are not results; omitted if there are none.',
        ),
        similar: field(
          z.optional(
            z.array(
              z.strictObject({
                path: field(z.string(), 'Relative to the workspace, with forward slashes.'),
                startLine: field(line, 'First line of the passage, 1-based.'),
                endLine: field(line, 'Last line of the passage, included.'),
                citation: field(
                  z.optional(z.string()),
                  '`path#L3-L5`; omitted if `memory.citations` is `off`.',
                ),
              }),
            ),
          ),
          'The best ten of them.',
        ),
        textScore: field(
          z.optional(score),
          'Keyword score, 0 to 1; the whole score in lexical search. Omitted in vector search.',
        ),
        vectorScore: field(
          z.optional(score),
          'Vector score, 0 to 1; omitted for a passage without a vector.',
        ),
        rerankScore: field(
          z.optional(z.number()),
          'Score of the reranker, on the scale of its model; omitted for a passage that it did not score.',
        ),
        explanation: field(
          z.optional(
            z.strictObject({
              textShare: field(score, 'Weight of the keyword score.'),
              vectorShare: field(score, 'Weight of the vector score.'),
              similarity: field(
                z.nullable(z.number()),
                'Cosine between passage and query; `null` for a passage without a vector.',
              ),
              decay: field(
                z.nullable(
                  z.strictObject({
                    factor: field(score, 'Factor for age.'),
                    ageDays: field(z.number(), 'Age in days.'),
                  }),
                ),
                '`null` without temporal decay.',
              ),
              placeBeforeRerank: field(
                z.optional(line),
                'Rank before the reranker, 1-based; omitted for a passage that it did not score.',
              ),
              diversity: field(
                z.nullable(
                  z.strictObject({
                    placeBefore: field(line, 'Rank by score alone, 1-based.'),
                    overlap: field(score, 'Largest word overlap with a result above it.'),
                  }),
                ),
                '`null` without `query.hybrid.mmr`.',
              ),
            }),
          ),
          'Only with `--explain`; see [search.md](search.md#how-a-score-comes-about).',
        ),
      }),
    ),
    'Empty without matches.',
  ),
  corrections: field(
    z.array(
      z.strictObject({
        word: field(z.string(), 'A word of the query that is not in the index.'),
        instead: field(z.array(z.string()), 'What was searched instead.'),
        kind: field(
          z.enum(['spelling', 'compound', 'prefix']),
          'A similar word, parts of the word or words that contain it, or words that begin with it.',
        ),
      }),
    ),
    'See [search.md](search.md#words-that-are-not-in-the-index); empty with `--exact`.',
  ),
  rerank: field(
    z.optional(
      z.strictObject({
        provider: field(z.string(), '`query.rerank.provider`.'),
        model: field(z.nullable(z.string()), 'Its model; `null` if the server decides.'),
        passages: field(count, 'Passages with a score of the reranker.'),
        cached: field(count, 'How many of these scores came from the cache, which costs nothing.'),
        tokens: field(z.optional(z.number()), 'Billed tokens, if the vendor reports them.'),
        searchUnits: field(
          z.optional(z.number()),
          'Billed search units, if the vendor reports them.',
        ),
        ms: field(z.number(), 'Duration of the reranking in milliseconds.'),
      }),
    ),
    'How the results were reranked; omitted if they were not. See [reranking.md](reranking.md).',
  ),
  matches: field(count, 'Total number of matching chunks.'),
  belowMinScore: field(count, 'Results dropped by the minimum score.'),
  searchMs: field(
    z.number(),
    'Duration of the search in milliseconds, without startup and index update.',
  ),
});

export const getOutputSchema = documentSchema({
  path,
  source: field(source, 'The source of the file.'),
  kind: field(kind, '`markdown` for notes, `media` for images and audio, or `transcript`.'),
  media: field(
    z.optional(
      z.strictObject({
        mimeType: field(z.string(), 'Detected from the content.'),
        bytes: field(count, 'Size of the file.'),
        modified: field(z.iso.datetime(), 'Modification time.'),
        refused: field(z.nullable(z.string()), 'Why the provider refused it; `null` otherwise.'),
      }),
    ),
    'Only for media; `text` contains the same facts.',
  ),
  startLine: field(line, 'First returned line.'),
  endLine: field(z.int(), 'Last returned line.'),
  text: field(z.string(), 'The lines, joined by `\\n`, without a trailing line end.'),
  totalLines: field(count, 'Number of lines in the file.'),
  truncated: field(z.boolean(), 'Whether the result was cut at the limit.'),
  turns: field(
    z.optional(
      z.array(
        z.strictObject({
          line: field(line, 'Line in the transcript.'),
          role: field(z.enum(['assistant', 'user']), 'The speaker.'),
          at: field(z.nullable(z.iso.datetime()), 'Time; `null` if the transcript has none.'),
          text: field(z.string(), 'The message, cleaned, with secrets masked; line ends are kept.'),
          asked: field(z.boolean(), 'False for context around a citation.'),
        }),
      ),
    ),
    'Only for transcripts: the turns in these lines; `text` has one line per turn.',
  ),
});

const embeddingSummary = z.strictObject({
  provider: field(z.string(), 'The provider that embedded, or its fallback.'),
  model: field(z.nullable(z.string()), 'Its model; `null` if it could not be opened.'),
  embedded: field(count, 'Passages embedded now.'),
  known: field(count, 'Chunks written now whose text already had a vector.'),
  refused: field(count, 'Passages that the provider refuses.'),
  refusal: field(z.optional(z.string()), 'Its message for the first of them.'),
  pending: field(count, 'Passages left for a later run.'),
  tokens: field(count, 'As reported by the provider, else estimated.'),
  requests: field(count, 'Successful requests.'),
  failure: field(
    z.optional(failure),
    'Why passages were not embedded. Keyword search works anyway; the exit code is 1.',
  ),
  mediaLeft: field(
    z.optional(
      z.strictObject({
        files: field(count, 'Number of files.'),
        why: forDisplay,
        hint,
      }),
    ),
    'Only if the model cannot embed media, which are then found by name.',
  ),
  insteadOf: field(
    z.optional(
      z.strictObject({
        provider: field(z.string(), 'The failed provider.'),
        failure: field(failure, 'The failure, with the same fields.'),
      }),
    ),
    'Only if the fallback embedded.',
  ),
});

const indexedAgent = z.strictObject({
  agent: agentId,
  workspace,
  outcome: field(
    z.enum(['stopped', 'unchanged', 'updated']),
    '`stopped`: by Ctrl-C; counted work is kept.',
  ),
  rebuild: field(
    z.optional(
      z.strictObject({
        reason: field(
          z.enum(['damaged', 'first', 'forced', 'settings']),
          'See [indexing.md](indexing.md#when-an-index-is-rebuilt).',
        ),
        detail: forDisplay,
      }),
    ),
    'Only if the index was rebuilt.',
  ),
  added: field(count, 'New files.'),
  changed: field(count, 'Files with changed content.'),
  removed: field(count, 'Files that are gone or no longer readable.'),
  renamed: field(count, 'Files moved without a change in content.'),
  unchanged: field(count, 'All other files.'),
  skipped: field(skipped, 'Files and folders that cannot be indexed.'),
  chunks: field(count, 'Chunks written now.'),
  bytes: field(count, 'Size of the files read now.'),
  durationMs: field(z.number(), 'Milliseconds.'),
  embedding: field(z.optional(embeddingSummary), 'Embedding results; omitted without a provider.'),
});

const failedAgent = z.strictObject({
  agent: agentId,
  workspace,
  error: field(failure, 'Why it failed.'),
});

export const indexOutputSchema = documentSchema({
  agents: field(
    z.array(z.union([indexedAgent, failedAgent])),
    'In the order of the configuration.',
  ),
});

const watchLine = {
  at: z.iso.datetime(),
  agent: z.nullable(z.string()),
  workspace: z.string(),
};

/** One line of `svc memory index --watch --json`. */
export const watchOutputSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('watching'), ...watchLine }),
  z.strictObject({ type: z.literal('polling'), ...watchLine, why: z.string(), everyMs: count }),
  z.strictObject({
    type: z.literal('synced'),
    ...watchLine,
    cause: z.enum(['asked', 'changed', 'interval', 'retry', 'start']),
    ...indexedAgent.shape,
  }),
  z.strictObject({
    type: z.literal('failed'),
    ...watchLine,
    error: failure,
    attempt: count,
    retryInMs: z.number(),
  }),
]);

const statusOutput = z.strictObject({
  agent: agentId,
  backend: field(z.enum(['builtin', 'ext']), 'The backend that answers searches.'),
  configuredBackend: field(z.string(), '`memory.backend` of the configuration.'),
  workspaceDir: workspace,
  indexFile: field(z.string(), 'Absolute path of the index.'),
  index: field(
    z.discriminatedUnion('state', [
      z.strictObject({
        state: field(z.literal('missing'), '`unusable`: damaged, or of another version.'),
      }),
      z.strictObject({
        state: field(z.literal('unusable'), '`unusable`: damaged, or of another version.'),
        why: field(z.string(), 'Only if unusable.'),
      }),
      z.strictObject({
        state: field(z.literal('ready'), '`unusable`: damaged, or of another version.'),
        statistics: field(
          z.strictObject({
            documents: field(count, 'Files in the index.'),
            chunks: field(count, 'Chunks in the index.'),
            bySource: field(
              z.array(
                z.strictObject({
                  source: field(source, 'The source.'),
                  documents: field(count, 'Its files.'),
                  chunks: field(count, 'Its chunks.'),
                  brokenLines: field(
                    z.optional(count),
                    'Transcript lines that are not valid JSON; omitted if there are none.',
                  ),
                }),
              ),
              'The same for each source.',
            ),
            media: field(
              z.strictObject({
                images: field(count, 'Images.'),
                audio: field(count, 'Audio files.'),
              }),
              'Media files.',
            ),
            bytes: field(count, 'Size on disk, including side files of SQLite.'),
            lastSync: field(
              z.nullable(z.iso.datetime()),
              'Time of the last update; `null` before the first.',
            ),
          }),
          'Only if ready.',
        ),
        rebuildBecause: field(
          z.optional(z.string()),
          'Why the next update rebuilds it; omitted if it does not.',
        ),
      }),
    ]),
    'State of the index.',
  ),
  staleness: field(
    z.optional(
      z.strictObject({
        added: field(count, 'New files.'),
        changed: field(count, 'Files whose size or time differ.'),
        removed: field(count, 'Files that are gone.'),
        examples: field(z.array(z.string()), 'Up to five of these files.'),
      }),
    ),
    'What the next update would do; omitted if the workspace is unreadable.',
  ),
  sources: field(z.array(source), 'Indexed sources.'),
  extraPaths: field(z.array(z.string()), '`extraPaths` of the configuration.'),
  tokenizer: field(z.string(), '`store.fts.tokenizer` of the configuration.'),
  mode: field(z.enum(['hybrid', 'lexical', 'vector']), 'Search mode that the index supports now.'),
  provider: field(z.nullable(z.string()), 'The selected embedding provider; `null` for none.'),
  model: field(z.nullable(z.string()), 'Its model; `null` if the vendor chooses.'),
  fallback: field(z.nullable(z.string()), 'The fallback provider; `null` for none.'),
  vectorStore: field(
    z.strictObject({
      state: field(
        z.enum(['empty', 'other', 'partial', 'whole']),
        '`empty`: no vectors. `other`: from another provider, model or length than configured. `partial`: some passages have none.',
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
    }),
    'State of the vectors.',
  ),
  media: field(
    z.nullable(
      z.strictObject({
        modalities: field(z.array(z.enum(['audio', 'image'])), 'Indexed kinds.'),
        maxFileBytes: field(count, 'Larger files are skipped.'),
        unavailable: field(
          z.nullable(
            z.strictObject({
              why: forDisplay,
              hint,
            }),
          ),
          'Why media can only be found by name; `null` otherwise.',
        ),
        refused: field(
          z.array(
            z.strictObject({
              path,
              mimeType: field(z.string(), 'Detected from the content.'),
              why: field(z.string(), 'Message of the provider.'),
            }),
          ),
          'Files that the provider refuses.',
        ),
      }),
    ),
    '`null` while `multimodal.enabled` is off; see [media.md](media.md).',
  ),
  ext: field(
    z.nullable(
      z.strictObject({
        answers: field(z.enum(['builtin', 'ext']), 'The backend that would answer now.'),
        why: field(
          z.nullable(
            z.strictObject({
              code: field(z.string(), 'For programs.'),
              message: forDisplay,
              hint,
            }),
          ),
          'Why the builtin engine would answer; `null` otherwise.',
        ),
        mode: field(
          z.enum(['query', 'search', 'vsearch']),
          '`memory.ext.searchMode` of the configuration.',
        ),
        program: field(
          z.nullable(z.string()),
          'Absolute path of the program; `null` if not found.',
        ),
        release: field(
          z.nullable(z.string()),
          'Version that the program reports; `null` until asked.',
        ),
        detected: field(
          z.nullable(
            z.strictObject({
              patternFlag: field(z.string(), 'Flag for a pattern.'),
              manyCollections: field(
                z.boolean(),
                'Whether one query can name several collections.',
              ),
            }),
          ),
          'Capabilities of the release; `null` until asked.',
        ),
        indexFile: field(z.string(), 'Absolute path of its index.'),
        collections: field(
          z.array(
            z.strictObject({
              name: field(z.string(), 'Name of the collection.'),
              root: field(z.string(), 'Absolute path of the folder.'),
              pattern: field(z.string(), 'Glob of its files.'),
              source: field(source, 'Source of its files.'),
              known: field(z.boolean(), 'Whether the program has it.'),
            }),
          ),
          'Its collections.',
        ),
        updated: field(
          z.nullable(
            z.strictObject({
              at: field(z.iso.datetime(), 'Start time.'),
              tookMs: field(z.number(), 'Duration in milliseconds.'),
              files: field(count, 'Number of files in its collections.'),
              stale: field(z.boolean(), 'Whether files have changed since.'),
            }),
          ),
          'The last refresh; `null` if there was none.',
        ),
        vectors: field(
          z.enum(['missing', 'off', 'ready', 'unknown']),
          '`off` in lexical mode. `missing`: some documents have none. `unknown`: none were created yet.',
        ),
        withoutVectors: field(z.nullable(count), 'Documents without a vector; `null` if unknown.'),
      }),
    ),
    'The external search program, if `memory.backend` is `ext`; the other fields describe the builtin engine behind it. See [external-search.md](external-search.md).',
  ),
  citations: field(z.enum(['auto', 'on', 'off']), '`memory.citations` of the configuration.'),
  watcher: field(
    z.nullable(
      z.strictObject({
        pid: field(count, 'Its process id.'),
        since: field(z.iso.datetime(), 'Start time.'),
        mode: field(
          z.enum(['interval', 'polling', 'watching']),
          '`polling`: file watching is unavailable, so files are polled. `interval`: changes are not followed. See [watching.md](watching.md).',
        ),
        why: field(z.nullable(z.string()), 'Why it is polling; `null` otherwise.'),
      }),
    ),
    'The process that keeps the index fresh; `null` for none.',
  ),
  skipped: field(skipped, 'Files and folders that cannot be indexed.'),
  faults: field(warnings, 'Problems that prevent searches or updates.'),
  deep: field(
    z.optional(diagnosisSchema),
    'Only with `--deep`: the result of `svc provider test`.',
  ),
});

export const statusOutputSchema = documentSchema({
  agents: field(z.array(statusOutput), 'In the order of the configuration.'),
});

export const resetOutputSchema = documentSchema({
  agents: field(
    z.array(
      z.strictObject({
        agent: agentId,
        indexFile: field(z.string(), 'Absolute path of the index.'),
        deleted: field(z.boolean(), 'False if there was none, or the user declined.'),
        bytes: field(count, 'Size of the deleted file.'),
      }),
    ),
    'In the order of the configuration.',
  ),
});

/** What `--json` prints when a command fails. */
export const errorOutputSchema = z.strictObject({
  error: field(
    z.strictObject({
      ...failure.shape,
      location: field(
        z.optional(
          z.strictObject({
            file: field(z.string(), 'Absolute path.'),
            line: field(line, '1-based.'),
            column: field(line, '1-based, in UTF-16 code units.'),
          }),
        ),
        'Position in a file.',
      ),
      details: field(
        z.optional(z.record(z.string(), z.unknown())),
        'Additional data by code: `CONFIG_INVALID` lists its `faults` here.',
      ),
    }),
    'The error that ended the command.',
  ),
});

/** Without the warnings, which the command adds at the end. */

export type SearchOutput = DocumentOf<typeof searchOutputSchema>;
export type GetOutput = DocumentOf<typeof getOutputSchema>;
export type IndexOutput = DocumentOf<typeof indexOutputSchema>;
export type IndexedAgent = DeepReadonly<z.infer<typeof indexedAgent>>;
export type FailedAgent = DeepReadonly<z.infer<typeof failedAgent>>;
export type WatchOutput = DeepReadonly<z.infer<typeof watchOutputSchema>>;
export type StatusOutput = DeepReadonly<z.infer<typeof statusOutput>>;
export type StatusesOutput = DocumentOf<typeof statusOutputSchema>;
export type ResetOutput = DocumentOf<typeof resetOutputSchema>;

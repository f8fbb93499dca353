import * as z from 'zod/mini';
import {
  count,
  type DeepReadonly,
  type DocumentOf,
  documentSchema,
  failureSchema as failure,
  field,
  forDisplay,
  hint,
  line,
  listField,
  listOf,
  objectField,
  optionalObjectField,
} from '../errors/output-schema.js';
import { packagesFields } from '../install/output-schemas.js';

/* What the JSON documents of the memory commands have in common, and those of indexing, documents and the log. */

export const source = z.enum(['memory', 'sessions']);
export const backendName = z.enum(['builtin', 'ext']);
export const searchMode = z.enum(['hybrid', 'lexical', 'vector']);
export const kind = z.enum(['markdown', 'text', 'extracted', 'media', 'transcript']);

export const agentId = field.textOrNull('Its id; `null` with `--workspace`.');
export const workspace = field.text('Absolute path of the workspace.');
export const path = field.text('Relative to the workspace.');
/** The source and the kind of one file. */
export const fileFields = {
  source: field(source, 'The source of the file.'),
  kind: field(
    kind,
    '`markdown` for notes, `text` and `extracted` for [other documents](documents.md), `media` for images and audio, or `transcript`.',
  ),
};
export const origin = field.optionalText(
  'In a [shared memory](teams.md), the host that has the file; omitted for this host.',
);
/** Files and folders that are not read. */
export const skipped = listOf({
  path,
  reason: field(
    z.enum([
      'forgotten',
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
  detail: field.optionalText('Details, such as a limit or the system error.'),
});

/** What an index contains. */
export const documentCounts = z.strictObject({
  documents: field.count('Files in the index.'),
  chunks: field.count('Chunks in the index.'),
  bySource: listField('The same for each source.', {
    source: field(source, 'The source.'),
    documents: field.count('Its files.'),
    chunks: field.count('Its chunks.'),
    brokenLines: field(
      z.optional(count),
      'Transcript lines that are not valid JSON; omitted if there are none.',
    ),
  }),
  media: objectField('Media files.', {
    images: field.count('Images.'),
    audio: field.count('Audio files.'),
  }),
});

const embeddingSummary = z.strictObject({
  provider: field.text('The provider that embedded, or its fallback.'),
  model: field.textOrNull('Its model; `null` if it could not be opened.'),
  embedded: field.count('Passages embedded now.'),
  known: field.count('Chunks written now whose text already had a vector.'),
  refused: field.count('Passages that the provider refuses.'),
  refusal: field.optionalText('Its message for the first of them.'),
  pending: field.count('Passages left for a later run.'),
  embeddedBy: field(
    z.optional(z.array(z.string())),
    'In a [shared memory](teams.md), the other hosts that are embedding such passages.',
  ),
  tokens: field.count('As reported by the provider, else estimated.'),
  requests: field.count('Successful requests.'),
  failure: field(
    z.optional(failure),
    'Why passages were not embedded. Keyword search works anyway; the exit code is 1.',
  ),
  mediaLeft: optionalObjectField(
    'Only if the model cannot embed media, which are then found by name.',
    {
      files: field.count('Number of files.'),
      why: forDisplay,
      hint,
    },
  ),
  insteadOf: optionalObjectField('Only if the fallback embedded.', {
    provider: field.text('The failed provider.'),
    failure: field(failure, 'The failure, with the same fields.'),
  }),
});

const indexedAgent = z.strictObject({
  agent: agentId,
  workspace,
  outcome: field(
    z.enum(['stopped', 'unchanged', 'updated']),
    '`stopped`: by Ctrl-C; counted work is kept.',
  ),
  rebuild: optionalObjectField('Only if the index was rebuilt.', {
    reason: field(
      z.enum(['damaged', 'first', 'forced', 'settings']),
      'See [indexing.md](indexing.md#when-an-index-is-rebuilt).',
    ),
    detail: forDisplay,
    otherWorkspace: field(
      z.optional(z.string()),
      'The folder, which still exists, whose notes the index had before.',
    ),
  }),
  added: field.count('New files.'),
  changed: field.count('Files with changed content.'),
  removed: field.count('Files that are gone or no longer readable.'),
  renamed: field.count('Files moved without a change in content.'),
  unchanged: field.count('All other files.'),
  skipped: field(skipped, 'Files and folders that cannot be indexed.'),
  chunks: field.count('Chunks written now.'),
  bytes: field.count('Size of the files read now.'),
  durationMs: field(z.number(), 'Milliseconds.'),
  embedding: field(
    z.optional(embeddingSummary),
    'Embedding results; omitted without a provider, or if another process is still embedding.',
  ),
});

const failedAgent = z.strictObject({
  agent: agentId,
  workspace,
  error: field(failure, 'Why it failed.'),
});

/** `svc memory index --json`. */
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
    cause: z.enum(['changed', 'interval', 'retry', 'start']),
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

/** `svc memory documents install --json`. */
export const installDocumentsOutputSchema = documentSchema({
  library: objectField('unpdf, which reads PDF files.', packagesFields),
});

const passage = {
  path: field.text('The file, as `svc memory get` takes it.'),
  startLine: field(line, 'First line.'),
  endLine: field(z.number(), 'Last line, included.'),
};

/** `svc memory log --json`. */
export const logOutputSchema = documentSchema({
  agent: field.text('Its id.'),
  enabled: field.flag('Whether searches are logged now (`memory.searchLog`).'),
  searches: listField('The newest first.', {
    at: field.time('When it was answered.'),
    query: field.text('The query, with secrets masked.'),
    mode: field(searchMode, 'How it was answered.'),
    hits: listField('The results, the best first.', {
      ...passage,
      score: field(z.number(), '0 to 1.'),
    }),
    opened: listField('What was opened of its hits within an hour, in order.', {
      ...passage,
      at: field.time('When.'),
    }),
  }),
});

export type DocumentCounts = DeepReadonly<z.infer<typeof documentCounts>>;
export type LogOutput = DocumentOf<typeof logOutputSchema>;
export type InstallDocumentsOutput = DocumentOf<typeof installDocumentsOutputSchema>;
export type IndexOutput = DocumentOf<typeof indexOutputSchema>;
export type IndexedAgent = DeepReadonly<z.infer<typeof indexedAgent>>;
export type FailedAgent = DeepReadonly<z.infer<typeof failedAgent>>;
export type WatchOutput = DeepReadonly<z.infer<typeof watchOutputSchema>>;

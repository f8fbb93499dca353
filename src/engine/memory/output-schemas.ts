import * as z from 'zod/mini';
import type { DeepReadonly } from '../config/index.js';
import { diagnosisSchema } from '../embeddings/provider-output-schemas.js';
import { warningsSchema as warnings } from '../errors/output-schema.js';

/*
 * Schemas of the JSON documents that the memory commands print. They are checked by tests and make
 * docs/json.md; no command loads them.
 */

const source = z.enum(['memory', 'sessions']);
const kind = z.enum(['markdown', 'media', 'transcript']);
const count = z.int().check(z.minimum(0));
const line = z.int().check(z.minimum(1));
const score = z.number().check(z.minimum(0), z.maximum(1));

const skipped = z.array(
  z.strictObject({
    path: z.string(),
    reason: z.enum([
      'missing',
      'permission_denied',
      'symlink',
      'too_large',
      'unreadable',
      'vanished',
      'wrong_format',
    ]),
    detail: z.optional(z.string()),
  }),
);

/** `svc memory search --json`. */
export const searchOutputSchema = z.strictObject({
  query: z.string(),
  agent: z.nullable(z.string()),
  workspace: z.string(),
  backend: z.enum(['builtin', 'ext']),
  mode: z.enum(['hybrid', 'lexical', 'vector']),
  provider: z.nullable(z.string()),
  model: z.nullable(z.string()),
  results: z.array(
    z.strictObject({
      path: z.string(),
      startLine: line,
      endLine: line,
      score,
      snippet: z.string(),
      snippetLine: line,
      source,
      kind,
      mimeType: z.optional(z.string()),
      headingPath: z.array(z.string()),
      citation: z.optional(z.string()),
      textScore: z.optional(score),
      vectorScore: z.optional(score),
      explanation: z.optional(
        z.strictObject({
          textShare: score,
          vectorShare: score,
          similarity: z.nullable(z.number()),
          decay: z.nullable(z.strictObject({ factor: score, ageDays: z.number() })),
          diversity: z.nullable(z.strictObject({ placeBefore: line, overlap: score })),
        }),
      ),
    }),
  ),
  matches: count,
  belowMinScore: count,
  searchMs: z.number(),
  warnings: z.optional(warnings),
});

/** `svc memory get --json`. */
export const getOutputSchema = z.strictObject({
  path: z.string(),
  source,
  kind,
  media: z.optional(
    z.strictObject({
      mimeType: z.string(),
      bytes: count,
      modified: z.iso.datetime(),
      refused: z.nullable(z.string()),
    }),
  ),
  startLine: line,
  endLine: z.int(),
  text: z.string(),
  totalLines: count,
  truncated: z.boolean(),
  turns: z.optional(
    z.array(
      z.strictObject({
        line,
        role: z.enum(['assistant', 'user']),
        at: z.nullable(z.iso.datetime()),
        text: z.string(),
        asked: z.boolean(),
      }),
    ),
  ),
  warnings: z.optional(warnings),
});

const embeddingFailure = z.strictObject({
  code: z.string(),
  message: z.string(),
  hint: z.optional(z.string()),
});

const embeddingSummary = z.strictObject({
  provider: z.string(),
  model: z.nullable(z.string()),
  embedded: count,
  known: count,
  refused: count,
  refusal: z.optional(z.string()),
  pending: count,
  tokens: count,
  requests: count,
  failure: z.optional(embeddingFailure),
  mediaLeft: z.optional(z.strictObject({ files: count, why: z.string(), mend: z.string() })),
  insteadOf: z.optional(z.strictObject({ provider: z.string(), failure: embeddingFailure })),
});

const indexedAgent = z.strictObject({
  agent: z.nullable(z.string()),
  workspace: z.string(),
  outcome: z.enum(['stopped', 'unchanged', 'updated']),
  rebuild: z.optional(
    z.strictObject({
      reason: z.enum(['damaged', 'first', 'forced', 'settings']),
      detail: z.string(),
    }),
  ),
  added: count,
  changed: count,
  removed: count,
  renamed: count,
  unchanged: count,
  skipped,
  chunks: count,
  bytes: count,
  durationMs: z.number(),
  embedding: z.optional(embeddingSummary),
});

const agentError = z.strictObject({
  code: z.string(),
  message: z.string(),
  hint: z.optional(z.string()),
});

const failedAgent = z.strictObject({
  agent: z.nullable(z.string()),
  workspace: z.string(),
  error: agentError,
});

/** `svc memory index --json`. */
export const indexOutputSchema = z.strictObject({
  agents: z.array(z.union([indexedAgent, failedAgent])),
  warnings: z.optional(warnings),
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
    error: agentError,
    attempt: count,
    retryInMs: z.number(),
  }),
]);

const statusOutput = z.strictObject({
  agent: z.nullable(z.string()),
  backend: z.enum(['builtin', 'ext']),
  configuredBackend: z.string(),
  workspaceDir: z.string(),
  indexFile: z.string(),
  index: z.discriminatedUnion('state', [
    z.strictObject({ state: z.literal('missing') }),
    z.strictObject({ state: z.literal('unusable'), why: z.string() }),
    z.strictObject({
      state: z.literal('ready'),
      statistics: z.strictObject({
        documents: count,
        chunks: count,
        bySource: z.array(
          z.strictObject({
            source,
            documents: count,
            chunks: count,
            brokenLines: z.optional(count),
          }),
        ),
        media: z.strictObject({ images: count, audio: count }),
        bytes: count,
        lastSync: z.nullable(z.iso.datetime()),
      }),
      rebuildBecause: z.optional(z.string()),
    }),
  ]),
  staleness: z.optional(
    z.strictObject({
      added: count,
      changed: count,
      removed: count,
      examples: z.array(z.string()),
    }),
  ),
  sources: z.array(source),
  extraPaths: z.array(z.string()),
  tokenizer: z.string(),
  mode: z.enum(['hybrid', 'lexical', 'vector']),
  provider: z.nullable(z.string()),
  model: z.nullable(z.string()),
  fallback: z.nullable(z.string()),
  vectorStore: z.strictObject({
    state: z.enum(['empty', 'other', 'partial', 'whole']),
    dimensions: z.nullable(count),
    embedded: count,
    pending: count,
    refused: count,
    cached: count,
    ofFallback: count,
    differences: z.array(z.string()),
  }),
  media: z.nullable(
    z.strictObject({
      modalities: z.array(z.enum(['audio', 'image'])),
      maxFileBytes: count,
      unavailable: z.nullable(z.strictObject({ why: z.string(), mend: z.string() })),
      refused: z.array(z.strictObject({ path: z.string(), mimeType: z.string(), why: z.string() })),
    }),
  ),
  ext: z.nullable(
    z.strictObject({
      answers: z.enum(['builtin', 'ext']),
      why: z.nullable(z.strictObject({ code: z.string(), message: z.string(), hint: z.string() })),
      mode: z.enum(['query', 'search', 'vsearch']),
      program: z.nullable(z.string()),
      release: z.nullable(z.string()),
      detected: z.nullable(
        z.strictObject({ patternFlag: z.string(), manyCollections: z.boolean() }),
      ),
      indexFile: z.string(),
      collections: z.array(
        z.strictObject({
          name: z.string(),
          root: z.string(),
          pattern: z.string(),
          source,
          known: z.boolean(),
        }),
      ),
      updated: z.nullable(
        z.strictObject({
          at: z.iso.datetime(),
          tookMs: z.number(),
          files: count,
          stale: z.boolean(),
        }),
      ),
      vectors: z.enum(['missing', 'off', 'ready', 'unknown']),
      withoutVectors: z.nullable(count),
    }),
  ),
  citations: z.enum(['auto', 'on', 'off']),
  watcher: z.nullable(
    z.strictObject({
      pid: count,
      since: z.iso.datetime(),
      mode: z.enum(['interval', 'polling', 'watching']),
      why: z.nullable(z.string()),
    }),
  ),
  skipped,
  faults: warnings,
  deep: z.optional(diagnosisSchema),
});

/** `svc memory status --json`. */
export const statusOutputSchema = z.strictObject({
  agents: z.array(statusOutput),
  warnings: z.optional(warnings),
});

/** `svc memory reset --json`. */
export const resetOutputSchema = z.strictObject({
  agents: z.array(
    z.strictObject({
      agent: z.nullable(z.string()),
      indexFile: z.string(),
      deleted: z.boolean(),
      bytes: count,
    }),
  ),
  warnings: z.optional(warnings),
});

/** What `--json` prints instead when a command fails. */
export const errorOutputSchema = z.strictObject({
  error: z.strictObject({
    code: z.string(),
    message: z.string(),
    hint: z.optional(z.string()),
    location: z.optional(z.strictObject({ file: z.string(), line, column: line })),
    details: z.optional(z.record(z.string(), z.unknown())),
  }),
});

/** The document without the warnings, which the command adds at the end. */
type Output<T> = DeepReadonly<Omit<T, 'warnings'>>;

export type SearchOutput = Output<z.infer<typeof searchOutputSchema>>;
export type GetOutput = Output<z.infer<typeof getOutputSchema>>;
export type IndexOutput = Output<z.infer<typeof indexOutputSchema>>;
export type IndexedAgent = DeepReadonly<z.infer<typeof indexedAgent>>;
export type FailedAgent = DeepReadonly<z.infer<typeof failedAgent>>;
export type WatchOutput = DeepReadonly<z.infer<typeof watchOutputSchema>>;
export type StatusOutput = DeepReadonly<z.infer<typeof statusOutput>>;
export type StatusesOutput = Output<z.infer<typeof statusOutputSchema>>;
export type ResetOutput = Output<z.infer<typeof resetOutputSchema>>;

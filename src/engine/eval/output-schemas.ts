import * as z from 'zod/mini';
import type { DeepReadonly } from '../config/index.js';
import { warningsSchema as warnings } from '../errors/output-schema.js';
import { figuresSchema as figures } from './figures-schema.js';

/*
 * Schemas of the JSON documents that `svc memory eval` prints. They are checked by tests and make
 * docs/json.md; no command loads them.
 */

const count = z.int().check(z.minimum(0));
const place = z.int().check(z.minimum(1));
const share = z.number().check(z.minimum(0), z.maximum(1));

const difference = z.strictObject({
  figure: z.enum([
    'recall5',
    'recall',
    'mrr',
    'ndcg',
    'hit5',
    'hit',
    'evidence',
    'seen',
    'evidence4k',
  ]),
  difference: z.number(),
  low: z.number(),
  high: z.number(),
  p: share,
  beyondChance: z.boolean(),
});

const variant = z.strictObject({
  name: z.string(),
  settings: z.record(z.string(), z.unknown()),
  mode: z.enum(['hybrid', 'lexical', 'vector']),
  provider: z.nullable(z.string()),
  model: z.nullable(z.string()),
  fellBack: count,
  figures,
  tags: z.array(z.strictObject({ tag: z.string(), questions: count, figures })),
  latencyMs: z.strictObject({
    p50: z.number(),
    p95: z.number(),
    p99: z.number(),
    max: z.number(),
  }),
  differences: z.array(difference),
});

const miss = {
  id: z.string(),
  question: z.string(),
  workspace: z.optional(z.string()),
  expected: z.string(),
};

const misses = z.array(
  z.discriminatedUnion('why', [
    z.strictObject({ ...miss, why: z.literal('not-indexed') }),
    z.strictObject({ ...miss, why: z.literal('no-such-lines'), lines: count }),
    z.strictObject({ ...miss, why: z.literal('text-unknown') }),
    z.strictObject({
      ...miss,
      why: z.literal('not-a-candidate'),
      place: z.nullable(place),
      ranked: count,
    }),
    z.strictObject({
      ...miss,
      why: z.literal('outranked'),
      place,
      above: z.array(z.strictObject({ citation: z.string(), score: share })),
    }),
    z.strictObject({ ...miss, why: z.literal('below-min-score'), place, score: share }),
  ]),
);

/** `svc memory eval --json`. */
export const evalOutputSchema = z.strictObject({
  agent: z.nullable(z.string()),
  file: z.string(),
  questions: count,
  maxResults: place,
  minScore: z.nullable(share),
  seed: z.int(),
  variants: z.array(variant),
  misses,
  baseline: z.nullable(
    z.strictObject({
      file: z.string(),
      margin: share,
      shared: count,
      added: count,
      gone: count,
      before: figures,
      now: figures,
      drops: z.array(z.strictObject({ figure: z.string(), before: share, now: share })),
    }),
  ),
  written: z.nullable(z.string()),
  warnings: z.optional(warnings),
});

/** `svc memory eval --generate N --json`. */
export const evalDraftsOutputSchema = z.strictObject({
  agent: z.nullable(z.string()),
  seed: z.int(),
  file: z.nullable(z.string()),
  drafts: z.array(
    z.strictObject({
      question: z.string(),
      expect: z.array(z.string()),
      tags: z.array(z.string()),
    }),
  ),
  warnings: z.optional(warnings),
});

type Output<T> = DeepReadonly<Omit<T, 'warnings'>>;

export type EvalOutput = Output<z.infer<typeof evalOutputSchema>>;
export type EvalDraftsOutput = Output<z.infer<typeof evalDraftsOutputSchema>>;

import * as z from 'zod/mini';
import { ADAPTER_IDS, type DeepReadonly } from '../config/index.js';
import { warningsSchema } from '../errors/output-schema.js';

/*
 * Schemas of the JSON documents that tell of providers. They are checked by tests and make
 * docs/json.md; no command loads them.
 */

const count = z.int().check(z.minimum(0));
const adapter = z.enum(ADAPTER_IDS);

const listedProvider = z.strictObject({
  provider: z.string(),
  adapter,
  kind: z.nullable(z.string()),
  role: z.nullable(z.enum(['fallback', 'primary'])),
  configured: z.boolean(),
  credential: z.strictObject({
    state: z.enum(['found', 'missing', 'not_needed']),
    source: z.nullable(z.string()),
    set: z.nullable(z.boolean()),
    mend: z.nullable(z.string()),
  }),
  model: z.nullable(z.string()),
  dimensions: z.nullable(count),
  endpoint: z.nullable(z.string()),
  cost: z.enum(['free', 'per_token', 'self_hosted', 'subscription', 'unknown']),
  batch: z.boolean(),
  autoPlace: z.nullable(count),
  available: z.boolean(),
  why: z.string(),
});

/** `svc provider list --json`. */
export const providerListOutputSchema = z.strictObject({
  agent: z.string(),
  primary: z.nullable(z.string()),
  fallback: z.nullable(z.string()),
  providers: z.array(listedProvider),
  warnings: z.optional(warningsSchema),
});

/** One check of a provider path; also in `deep` of `svc memory status`. */
const checkSchema = z.strictObject({
  check: z.enum([
    'selected',
    'key',
    'endpoint',
    'embed',
    'batch',
    'fallback',
    'vectors',
    'program',
    'release',
    'collections',
    'question',
  ]),
  state: z.enum(['failed', 'off', 'ok', 'warning']),
  text: z.string(),
  note: z.optional(z.string()),
  code: z.optional(z.string()),
  cause: z.optional(z.string()),
  mend: z.optional(z.string()),
  location: z.optional(z.strictObject({ file: z.string(), line: count, column: count })),
  latencyMs: z.optional(z.number()),
  dimensions: z.optional(count),
  passages: z.optional(z.strictObject({ done: count, all: count })),
});

/** What a diagnosis found. */
export const diagnosisSchema = z.strictObject({
  scope: z.enum(['ext', 'named', 'path']),
  ok: z.boolean(),
  usable: z.nullable(z.enum(['fallback', 'primary'])),
  provider: z.nullable(z.string()),
  adapter: z.nullable(adapter),
  checks: z.array(checkSchema),
});

/** `svc provider test --json`. */
export const providerTestOutputSchema = z.strictObject({
  agent: z.nullable(z.string()),
  ...diagnosisSchema.shape,
  warnings: z.optional(warningsSchema),
});

/** The document without the warnings, which the command adds at the end. */
type Output<T> = DeepReadonly<Omit<T, 'warnings'>>;

export type ProviderListOutput = Output<z.infer<typeof providerListOutputSchema>>;
export type ProviderTestOutput = Output<z.infer<typeof providerTestOutputSchema>>;

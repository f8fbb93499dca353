import * as z from 'zod/mini';
import {
  type DocumentOf,
  documentSchema,
  field,
  listField,
  objectField,
  objectOrNullField,
} from '../errors/output-schema.js';
import { searchMode } from '../memory/output-schemas.js';
import { metricsSchema as metrics, QUALITY_NAMES } from './metrics.js';

const place = z.int().check(z.minimum(1));
const share = z.number().check(z.minimum(0), z.maximum(1));

const difference = z.strictObject({
  metric: field(z.enum(QUALITY_NAMES), 'The metric.'),
  difference: field(z.number(), "This variant's mean minus the first variant's."),
  low: field(z.number(), 'Lower end of the 95 % confidence interval.'),
  high: field(z.number(), 'Upper end of the 95 % confidence interval.'),
  p: field(share, 'Two-sided p-value.'),
  beyondChance: field.flag('Whether it is significant at 5 %.'),
});

const variant = z.strictObject({
  name: field.text('`as configured`, or the variant as typed.'),
  settings: field(z.record(z.string(), z.unknown()), 'Settings that override `memorySearch`.'),
  mode: field(searchMode, 'Search mode.'),
  provider: field.textOrNull('Embedding provider; `null` in lexical search.'),
  model: field.textOrNull('Embedding model; `null` in lexical search.'),
  fellBack: field.count(
    'Questions answered by keyword search only although a provider is configured.',
  ),
  corrected: field.count('Questions with words that are not in the index and were replaced.'),
  rerank: objectOrNullField('`null` without reranking.', {
    name: field.text('Provider and model of the reranker.'),
    questions: field.count('Questions whose results were reranked.'),
    failed: field.count('Questions whose results kept the order without the reranker.'),
    tokens: field(z.number(), 'Billed tokens that the vendor reported.'),
    searchUnits: field(z.number(), 'Billed search units that the vendor reported.'),
  }),
  metrics: field(metrics, 'Means over all questions.'),
  tags: listField('Metrics by tag.', {
    tag: field.text('The tag.'),
    questions: field.count('Number of questions with this tag.'),
    metrics: field(metrics, 'Means over these questions.'),
  }),
  latencyMs: objectField('Latency of a search in milliseconds.', {
    p50: field(z.number(), 'Median.'),
    p95: field(z.number(), '95th percentile.'),
    p99: field(z.number(), '99th percentile.'),
    max: field(z.number(), 'Maximum.'),
  }),
  differences: field(
    z.array(difference),
    'Differences from the first variant; empty for the first.',
  ),
});

const miss = {
  id: field.text('ID of the question.'),
  question: field.text('The question.'),
  workspace: field.optionalText('The workspace named by the question.'),
  expected: field.text('What was expected: a path, `path#L3-L5`, or text in quotes.'),
};
const rank = 'Rank in a wider search, from 1';

function missFor<Why extends string, Fields extends Record<string, z.ZodMiniType>>(
  why: Why,
  fields: Fields,
) {
  return z.strictObject({ ...miss, why: field(z.literal(why), 'The reason.'), ...fields });
}

const misses = z.array(
  z.discriminatedUnion('why', [
    missFor('not-indexed', {}),
    missFor('no-such-lines', { lines: field.count('Number of lines in the file.') }),
    missFor('text-unknown', {}),
    missFor('not-a-candidate', {
      place: field(z.nullable(place), `${rank}; \`null\` if not found.`),
      ranked: field.count('Number of chunks that a search ranks.'),
    }),
    missFor('outranked', {
      place: field(place, `${rank}.`),
      above: listField('The first results.', {
        citation: field.text('`path#L3-L5`.'),
        score: field(share, '0 to 1.'),
      }),
    }),
    missFor('below-min-score', {
      place: field(place, `${rank}.`),
      score: field(share, 'Its score, which is below the minimum.'),
    }),
  ]),
);

/** `svc memory eval --json`. */
export const evalOutputSchema = documentSchema({
  agent: field.textOrNull(
    'The evaluated agent; `null` with `--workspace`, or if every question names a workspace.',
  ),
  file: field.text('Absolute path of the file of questions.'),
  questions: field.count('Number of questions.'),
  maxResults: field(place, 'Maximum number of results per question.'),
  minScore: field(z.nullable(share), 'From `--min-score`; `null` if `query.minScore` applied.'),
  seed: field(z.int(), 'Random seed of the significance tests.'),
  variants: field(z.array(variant), 'The configured settings, then the variants of `--compare`.'),
  misses: field(misses, 'What the first variant did not find; see [eval.md](eval.md#misses).'),
  baseline: objectOrNullField('`null` without `--baseline`.', {
    file: field.text('Absolute path of the baseline.'),
    margin: field(share, 'Allowed drop of a metric.'),
    shared: field.count('Questions in both; only these are compared.'),
    added: field.count('Questions only in this run.'),
    gone: field.count('Questions only in the baseline.'),
    before: field(metrics, 'Means of the baseline.'),
    now: field(metrics, 'Means of this run.'),
    drops: listField(
      'Metrics that dropped by more than the margin; if there are any, the exit code is 1.',
      {
        metric: field.text('The metric.'),
        before: field(share, 'Value in the baseline.'),
        now: field(share, 'Value in this run.'),
      },
    ),
  }),
  written: field.textOrNull('Absolute path of the written baseline; `null` if none was written.'),
});

/** `svc memory eval --generate N --json`. */
export const evalDraftsOutputSchema = documentSchema({
  agent: field.textOrNull('The agent whose notes were used; `null` with `--workspace`.'),
  seed: field(z.int(), 'Random seed.'),
  file: field.textOrNull('Absolute path of the written file; `null` without `--output`.'),
  drafts: listField('At most `--generate`.', {
    question: field.text('Question to rephrase.'),
    expect: field.texts('The lines it was drafted from.'),
    tags: field.texts('`heading` or `sentence`.'),
  }),
});

export type EvalOutput = DocumentOf<typeof evalOutputSchema>;
export type EvalVariant = EvalOutput['variants'][number];
export type EvalDraftsOutput = DocumentOf<typeof evalDraftsOutputSchema>;

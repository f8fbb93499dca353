import * as z from 'zod/mini';
import { field } from '../errors/output-schema.js';

const share = z.number().check(z.minimum(0), z.maximum(1));

/** Metrics of one question, or their means, as printed and as stored in a baseline. */
export const metricsSchema = z.strictObject({
  recall5: field(share, 'Share of what is expected in the first 5 distinct files.'),
  recall: field(share, 'The same for all results.'),
  mrr: field(share, 'Reciprocal rank of the first expected file.'),
  ndcg: field(share, 'Discounted gain of the expected files, relative to the best order.'),
  hit5: field(share, 'Share of questions with a hit among the first 5 results.'),
  hit: field(share, 'The same for all results.'),
  evidence: field(
    z.nullable(share),
    'Share of the expected lines and texts covered by results; `null` if only files are expected.',
  ),
  seen: field(
    z.nullable(share),
    'Share of questions with some of them in the returned text; `null` as above.',
  ),
  evidence4k: field(
    z.nullable(share),
    'Share of them in the first 4,000 characters of text; `null` as above.',
  ),
  none: field(share, 'Share of questions without results.'),
  characters: field(z.number().check(z.minimum(0)), 'Characters of text returned.'),
});

export type Metrics = Readonly<z.infer<typeof metricsSchema>>;
type MetricName = keyof Metrics;

/** Quality metrics, where more is better, in display order. */
export const QUALITY_NAMES = [
  'recall5',
  'recall',
  'mrr',
  'ndcg',
  'hit5',
  'hit',
  'evidence',
  'seen',
  'evidence4k',
] as const satisfies readonly MetricName[];

export type QualityName = (typeof QUALITY_NAMES)[number];

/** The mean of each metric over the questions that have it; null if none has. */
export function meanMetrics(scored: readonly Metrics[]): Metrics {
  const mean = (name: MetricName): number | null => {
    const values = scored.map((metrics) => metrics[name]).filter((value) => value !== null);
    if (values.length === 0) return null;
    return values.reduce((sum, value) => sum + value, 0) / values.length;
  };
  return {
    recall5: mean('recall5') ?? 0,
    recall: mean('recall') ?? 0,
    mrr: mean('mrr') ?? 0,
    ndcg: mean('ndcg') ?? 0,
    hit5: mean('hit5') ?? 0,
    hit: mean('hit') ?? 0,
    evidence: mean('evidence'),
    seen: mean('seen'),
    evidence4k: mean('evidence4k'),
    none: mean('none') ?? 0,
    characters: mean('characters') ?? 0,
  };
}

/** Nearest-rank percentiles; all 0 without times. */
export function latencyOf(times: readonly number[]) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: sorted.at(-1) ?? 0 };
}

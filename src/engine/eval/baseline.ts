import * as z from 'zod/mini';
import { SvcError, systemReason } from '../errors/index.js';
import { readNamedFile, replaceableTarget } from '../support/files.js';
import { replaceFile } from '../support/replace-file.js';
import { iso } from '../support/time.js';
import type { AskOptions } from './ask-memory.js';
import { type Metrics, meanMetrics, metricsSchema, QUALITY_NAMES } from './metrics.js';
import type { EvalOutput } from './output-schemas.js';
import { type EvalQuestion, MOST_EVAL_BYTES } from './question-file.js';

const baselineSchema = z.strictObject({
  format: z.literal('svc-eval-baseline'),
  version: z.literal(1),
  at: z.string(),
  maxResults: z.int().check(z.minimum(1)),
  minScore: z.nullable(z.number()),
  /** By question ID. */
  questions: z.record(z.string(), metricsSchema),
});

/** Metrics of an earlier evaluation by question. */
export type Baseline = z.infer<typeof baselineSchema>;

/** Only runs with the same ones can be compared. */
type SearchLimits = Pick<AskOptions, 'maxResults' | 'minScore'>;

/** A question of the evaluation, with how well it was answered. */
interface ScoredQuestion {
  readonly question: Pick<EvalQuestion, 'id'>;
  readonly metrics: Metrics;
}

type BaselineVerdict = Omit<NonNullable<EvalOutput['baseline']>, 'file' | 'margin'>;

const FILE_MODE = 0o644;
/** Error from storing four digits and from summing in another order. */
const ROUNDING = 1e-4;

/** @throws SvcError EVAL_WRITE_FAILED */
export function writeBaseline(
  file: string,
  questions: readonly ScoredQuestion[],
  { maxResults, minScore }: SearchLimits,
  atMs: number,
): void {
  const baseline: Baseline = {
    format: 'svc-eval-baseline',
    version: 1,
    at: iso(atMs),
    maxResults,
    minScore: minScore ?? null,
    questions: Object.fromEntries(
      questions.map(({ question, metrics }) => [question.id, roundMetrics(metrics)]),
    ),
  };
  writeEvalFile(file, `${JSON.stringify(baseline, null, 1)}\n`, FILE_MODE);
}

/** @throws SvcError EVAL_WRITE_FAILED */
export function writeEvalFile(file: string, content: string, mode: number): void {
  try {
    replaceFile(replaceableTarget(file), content, mode);
  } catch (error) {
    throw new SvcError('EVAL_WRITE_FAILED', `cannot write ${file}: ${systemReason(error)}`, {
      hint: 'check the folder and free disk space',
      cause: error,
    });
  }
}

/** @throws SvcError EVAL_BASELINE_INVALID if it cannot be read, or used other search options */
export function readBaseline(file: string, { maxResults, minScore }: SearchLimits): Baseline {
  const baseline = parseBaseline(file);
  if (baseline.maxResults === maxResults && baseline.minScore === (minScore ?? null)) {
    return baseline;
  }
  const options = `--max-results ${baseline.maxResults}`;
  const least = baseline.minScore === null ? '' : ` --min-score ${baseline.minScore}`;
  throw new SvcError('EVAL_BASELINE_INVALID', `${file} was written with ${options}${least}`, {
    hint: 'use the same options, or write a new baseline with --write-baseline',
  });
}

function parseBaseline(file: string): Baseline {
  try {
    return baselineSchema.parse(JSON.parse(String(readNamedFile(file, MOST_EVAL_BYTES))));
  } catch (error) {
    const why = error instanceof z.core.$ZodError ? 'not a baseline file' : systemReason(error);
    throw new SvcError('EVAL_BASELINE_INVALID', `cannot read ${file}: ${why}`, {
      hint: 'create one with --write-baseline',
    });
  }
}

/**
 * Compares a run with a baseline, over the questions in both.
 *
 * @param margin allowed drop of a metric
 * @throws SvcError EVAL_BASELINE_INVALID if they have no question in common
 */
export function compareWithBaseline(
  baseline: Baseline,
  questions: readonly ScoredQuestion[],
  margin: number,
): BaselineVerdict {
  const known = new Map(Object.entries(baseline.questions));
  const pairs = questions.flatMap(({ question, metrics }) => {
    const before = known.get(question.id);
    return before === undefined ? [] : [{ before, now: metrics }];
  });
  if (pairs.length === 0) {
    throw new SvcError('EVAL_BASELINE_INVALID', 'the baseline has none of these questions', {
      hint: 'write a new one with --write-baseline',
    });
  }
  const before = meanMetrics(pairs.map((pair) => pair.before));
  const now = meanMetrics(pairs.map((pair) => pair.now));
  const drops = QUALITY_NAMES.flatMap((metric): BaselineVerdict['drops'] => {
    const [then, since] = [before[metric], now[metric]];
    if (then === null || since === null || since >= then - margin - ROUNDING) return [];
    return [{ metric, before: then, now: since }];
  });
  return {
    shared: pairs.length,
    added: questions.length - pairs.length,
    gone: known.size - pairs.length,
    drops,
    before,
    now,
  };
}

function roundMetrics(metrics: Metrics): Metrics {
  const round = (value: number): number => Math.round(value * 10_000) / 10_000;
  const values = Object.entries(metrics).map(([name, value]) => {
    return [name, value === null ? null : round(value)];
  });
  return metricsSchema.parse(Object.fromEntries(values));
}

import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { messageOf, SvcError } from '../errors/index.js';
import { replaceFile } from '../replace-file.js';
import type { TrialResult } from './evaluate.js';
import { type Figures, meanFigures, QUALITY_NAMES, type QualityName } from './figures.js';
import { figuresSchema } from './figures-schema.js';

const baselineSchema = z.strictObject({
  format: z.literal('svc-eval-baseline'),
  version: z.literal(1),
  at: z.string(),
  maxResults: z.int().check(z.minimum(1)),
  minScore: z.nullable(z.number()),
  /** By the ids of the questions. */
  questions: z.record(z.string(), figuresSchema),
});

/** Figures of an earlier evaluation, question by question. */
export type Baseline = z.infer<typeof baselineSchema>;

/** How questions were asked; only runs that asked alike can be compared. */
export interface AskedHow {
  readonly maxResults: number;
  readonly minScore: number | undefined;
}

/** A figure that is lower than it was. */
export interface Drop {
  readonly figure: QualityName;
  readonly before: number;
  readonly now: number;
}

/** How an evaluation stands against a baseline. */
export interface BaselineVerdict {
  /** Questions that both have; only those count. */
  readonly shared: number;
  /** Questions that the baseline does not have, and those that only it has. */
  readonly added: number;
  readonly gone: number;
  /** Figures that dropped by more than the margin. */
  readonly drops: readonly Drop[];
  readonly before: Figures;
  readonly now: Figures;
}

const FILE_MODE = 0o644;
/** What is lost by writing four digits, and by adding numbers in another order. */
const ROUNDING = 1e-4;

/** @throws SvcError EVAL_WRITE_FAILED */
export function writeBaseline(
  file: string,
  { asked }: TrialResult,
  { maxResults, minScore }: AskedHow,
  atMs: number,
): void {
  const baseline: Baseline = {
    format: 'svc-eval-baseline',
    version: 1,
    at: new Date(atMs).toISOString(),
    maxResults,
    minScore: minScore ?? null,
    questions: Object.fromEntries(
      asked.map(({ question, figures }) => [question.id, rounded(figures)]),
    ),
  };
  try {
    replaceFile(file, `${JSON.stringify(baseline, null, 1)}\n`, FILE_MODE);
  } catch (error) {
    throw new SvcError('EVAL_WRITE_FAILED', `cannot write ${file}: ${messageOf(error)}`, {
      hint: 'check its folder and the room on the disk',
      cause: error,
    });
  }
}

/** @throws SvcError EVAL_BASELINE_INVALID when it cannot be read, or was asked otherwise */
export function readBaseline(file: string, { maxResults, minScore }: AskedHow): Baseline {
  const baseline = parseBaseline(file);
  if (baseline.maxResults === maxResults && baseline.minScore === (minScore ?? null)) {
    return baseline;
  }
  const asked = `--max-results ${baseline.maxResults}`;
  const least = baseline.minScore === null ? '' : ` --min-score ${baseline.minScore}`;
  throw new SvcError('EVAL_BASELINE_INVALID', `${file} was made with ${asked}${least}`, {
    hint: 'ask in the same way, or write a new baseline with --write-baseline',
  });
}

function parseBaseline(file: string): Baseline {
  try {
    return baselineSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    const why = error instanceof z.core.$ZodError ? 'it is no baseline' : messageOf(error);
    throw new SvcError('EVAL_BASELINE_INVALID', `cannot read ${file}: ${why}`, {
      hint: 'make one with --write-baseline',
    });
  }
}

/**
 * Holds a run against a baseline, over the questions that both have.
 *
 * @param margin how much lower a figure may be
 * @throws SvcError EVAL_BASELINE_INVALID when they have no question in common
 */
export function holdAgainst(
  baseline: Baseline,
  { asked }: TrialResult,
  margin: number,
): BaselineVerdict {
  const known = new Map(Object.entries(baseline.questions));
  const pairs = asked.flatMap(({ question, figures }) => {
    const before = known.get(question.id);
    return before === undefined ? [] : [{ before, now: figures }];
  });
  if (pairs.length === 0) {
    throw new SvcError('EVAL_BASELINE_INVALID', 'the baseline is of other questions', {
      hint: 'write a new one with --write-baseline',
    });
  }
  const before = meanFigures(pairs.map((pair) => pair.before));
  const now = meanFigures(pairs.map((pair) => pair.now));
  const drops = QUALITY_NAMES.flatMap((figure): readonly Drop[] => {
    const [then, since] = [before[figure], now[figure]];
    if (then === null || since === null || since >= then - margin - ROUNDING) return [];
    return [{ figure, before: then, now: since }];
  });
  return {
    shared: pairs.length,
    added: asked.length - pairs.length,
    gone: known.size - pairs.length,
    drops,
    before,
    now,
  };
}

function rounded(figures: Figures): Figures {
  const round = (value: number): number => Math.round(value * 10_000) / 10_000;
  const maybe = (value: number | null): number | null => (value === null ? null : round(value));
  return {
    recall5: round(figures.recall5),
    recall: round(figures.recall),
    mrr: round(figures.mrr),
    ndcg: round(figures.ndcg),
    hit5: figures.hit5,
    hit: figures.hit,
    evidence: maybe(figures.evidence),
    seen: figures.seen,
    evidence4k: maybe(figures.evidence4k),
    none: figures.none,
    characters: figures.characters,
  };
}

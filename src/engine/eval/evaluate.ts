import type { Warning } from '../errors/index.js';
import type { OpenedMemory } from '../memory/index.js';
import { candidateLimit } from '../memory/search/index.js';
import type { SyncEvent } from '../memory/sync/index.js';
import { groupBy } from '../support/lists.js';
import {
  type AnsweredQuestion,
  type Answers,
  type AskOptions,
  askMemory,
  modeOf,
  rerankOf,
} from './ask-memory.js';
import { explainMisses, type Miss } from './explain-miss.js';
import {
  latencyOf,
  type Metrics,
  meanMetrics,
  QUALITY_NAMES,
  type QualityName,
} from './metrics.js';
import type { EvalVariant } from './output-schemas.js';
import type { EvalQuestion } from './question-file.js';
import { seededRandom } from './random.js';
import { setsKey, type Trial, withSearchSetting } from './trials.js';

/** Progress of an evaluation. */
export type EvalEvent =
  | { readonly type: 'trial.started'; readonly name: string }
  | { readonly type: 'sync'; readonly event: SyncEvent }
  | {
      readonly type: 'question.asked';
      readonly name: string;
      readonly done: number;
      readonly all: number;
    }
  | { readonly type: 'misses.started'; readonly name: string };

/** What to evaluate, and how. */
export interface EvalRequest extends Pick<AskOptions, 'maxResults' | 'minScore' | 'signal'> {
  readonly questions: readonly EvalQuestion[];
  /** The others are compared with the first. */
  readonly trials: readonly [Trial, ...Trial[]];
  readonly seed: number;
  readonly onEvent: (event: EvalEvent) => void;
  /**
   * Opens a memory with the settings of a trial.
   *
   * @param workspace the folder named by questions; undefined for the evaluated memory
   */
  readonly open: (trial: Trial, workspace: string | undefined) => Promise<OpenedMemory>;
}

/** The result of one set of settings. */
export interface TrialResult extends Omit<EvalVariant, 'name' | 'settings'> {
  readonly trial: Trial;
  readonly questions: readonly AnsweredQuestion[];
}

/** The result of an evaluation. */
interface Evaluation {
  readonly results: readonly [TrialResult, ...TrialResult[]];
  /** Misses of the first trial. */
  readonly misses: readonly Miss[];
  readonly warnings: readonly Warning[];
}

/**
 * Searches for every question with every trial, and compares the results with what is expected.
 *
 * @throws SvcError what opening a memory throws; a provider's error if some passages have no vectors; the
 *   signal's reason
 */
export async function evaluate(request: EvalRequest): Promise<Evaluation> {
  const [firstTrial, ...otherTrials] = request.trials;
  const warnings: Warning[] = [];
  const misses: Miss[] = [];
  const first = await runTrial(firstTrial, request, warnings, misses);
  const others: TrialResult[] = [];
  for (const trial of otherTrials) {
    const result = await runTrial(trial, request, warnings, undefined);
    const [before, after] = [metricsOf(first), metricsOf(result)];
    others.push({ ...result, differences: compareRuns(before, after, request.seed) });
  }
  return { results: [first, ...others], misses, warnings };
}

/** @param misses receives the misses; undefined skips them */
async function runTrial(
  trial: Trial,
  request: EvalRequest,
  warnings: Warning[],
  misses: Miss[] | undefined,
): Promise<TrialResult> {
  const { questions, onEvent, signal } = request;
  onEvent({ type: 'trial.started', name: trial.name });
  const answered: AnsweredQuestion[] = [];
  let done = 0;
  for (const [workspace, group] of groupBy(questions, (question) => question.workspace)) {
    const memory = await request.open(trial, workspace);
    try {
      const answers = await askMemory(memory, group, {
        ...limitsOf(trial, memory, request),
        signal,
        onSync: (event) => onEvent({ type: 'sync', event }),
        onAnswer: () => {
          done += 1;
          onEvent({ type: 'question.asked', name: trial.name, done, all: questions.length });
        },
      });
      answered.push(...answers.questions);
      warnings.push(...answers.warnings);
      if (misses === undefined) continue;
      misses.push(...(await missesOf(answers, memory, { trial, workspace }, request)));
      signal.throwIfAborted();
    } finally {
      await memory.backend.close();
    }
  }
  return {
    trial,
    ...modeOf(answered),
    rerank: rerankOf(answered),
    metrics: meanMetrics(answered.map(({ metrics }) => metrics)),
    tags: tagMetrics(answered),
    latencyMs: latencyOf(answered.map(({ ms }) => ms)),
    differences: [],
    questions: inOrderOf(questions, answered),
  };
}

/** A trial's own maxResults and minScore override those of the request. */
function limitsOf(
  trial: Trial,
  { agent }: OpenedMemory,
  { maxResults, minScore }: EvalRequest,
): Pick<EvalRequest, 'maxResults' | 'minScore'> {
  const { query } = agent.memorySearch;
  return {
    maxResults: setsKey(trial, 'query.maxResults') ? query.maxResults : maxResults,
    minScore: setsKey(trial, 'query.minScore') ? undefined : minScore,
  };
}

async function missesOf(
  answers: Answers,
  { agent }: OpenedMemory,
  { trial, workspace }: { readonly trial: Trial; readonly workspace: string | undefined },
  { open, onEvent, maxResults, signal }: EvalRequest,
): Promise<readonly Miss[]> {
  onEvent({ type: 'misses.started', name: trial.name });
  const rankedCount = candidateLimit(maxResults, agent.memorySearch.query.hybrid);
  const pool = await open(
    withSearchSetting(trial, 'query.hybrid.candidateMultiplier', '1'),
    workspace,
  );
  try {
    return await explainMisses(answers, { maxResults, signal, pool, rankedCount });
  } finally {
    await pool.backend.close();
  }
}

function inOrderOf(
  questions: readonly EvalQuestion[],
  answered: readonly AnsweredQuestion[],
): readonly AnsweredQuestion[] {
  const positions = new Map(questions.map(({ id }, at) => [id, at]));
  const positionOf = ({ question }: AnsweredQuestion): number => positions.get(question.id) ?? 0;
  return answered.toSorted((a, b) => positionOf(a) - positionOf(b));
}

function tagMetrics(answered: readonly AnsweredQuestion[]): EvalVariant['tags'] {
  const tags = [...new Set(answered.flatMap(({ question }) => question.tags))].sort();
  return tags.map((tag) => {
    const tagged = answered.filter(({ question }) => question.tags.includes(tag));
    const metrics = meanMetrics(tagged.map((one) => one.metrics));
    return { tag, questions: tagged.length, metrics };
  });
}

function metricsOf({ questions }: TrialResult): readonly Metrics[] {
  return questions.map(({ metrics }) => metrics);
}

/** Difference of a metric between two runs over the same questions, with its significance. */
type Difference = EvalVariant['differences'][number];

const RESAMPLES = 2000;
const LEVEL = 0.05;
/** With five changed questions a difference cannot be significant at 5 % (sign test: 2 · 2⁻⁵). */
const FEWEST_CHANGED = 6;

/**
 * Compares runs with the paired bootstrap (Efron; Sakai 2006 for search). Metrics that no question has in
 * both runs are left out.
 *
 * @param before and after: the metrics of each question, in the same order
 * @param seed makes the result reproducible
 */
export function compareRuns(
  before: readonly Metrics[],
  after: readonly Metrics[],
  seed: number,
): readonly Difference[] {
  return QUALITY_NAMES.flatMap((metric) => {
    const difference = differenceOf(pairedDifferences(metric, before, after), seed);
    return difference === undefined ? [] : [{ metric, ...difference }];
  });
}

function pairedDifferences(
  name: QualityName,
  before: readonly Metrics[],
  after: readonly Metrics[],
): Float64Array {
  return Float64Array.from(
    before.flatMap((metrics, at) => {
      const [first, second] = [metrics[name], after[at]?.[name]];
      return first === null || second === null || second === undefined ? [] : [second - first];
    }),
  );
}

/** Mean and significance of the differences per question; undefined if there are none. */
export function differenceOf(
  differences: Float64Array,
  seed: number,
): Omit<Difference, 'metric'> | undefined {
  const { length } = differences;
  if (length === 0) return undefined;
  const difference = differences.reduce((sum, value) => sum + value, 0) / length;
  const changed = differences.filter((value) => value !== 0).length;
  if (changed === 0) return { difference: 0, low: 0, high: 0, p: 1, beyondChance: false };
  const means = resampledMeans(differences, seed);
  const share = (kept: (mean: number) => boolean): number =>
    (means.filter(kept).length + 1) / (RESAMPLES + 1);
  const atMostZero = share((mean) => mean <= 0);
  const p = Math.min(
    1,
    2 *
      Math.min(
        atMostZero,
        share((mean) => mean >= 0),
      ),
  );
  return {
    difference,
    low: means[Math.floor((RESAMPLES * LEVEL) / 2)] ?? difference,
    high: means[Math.ceil(RESAMPLES * (1 - LEVEL / 2)) - 1] ?? difference,
    p,
    beyondChance: p < LEVEL && changed >= FEWEST_CHANGED,
  };
}

/** Ascending. */
function resampledMeans(differences: Float64Array, seed: number): Float64Array {
  const random = seededRandom(seed);
  const { length } = differences;
  const means = new Float64Array(RESAMPLES);
  for (let at = 0; at < RESAMPLES; at++) {
    let sum = 0;
    for (let drawn = 0; drawn < length; drawn++) {
      sum += differences[Math.floor(random() * length)] ?? 0;
    }
    means[at] = sum / length;
  }
  return means.sort();
}

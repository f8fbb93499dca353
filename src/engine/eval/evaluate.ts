import { dirname, resolve } from 'node:path';
import type { Warning } from '../errors/index.js';
import {
  type MemoryContext,
  type MemorySelection,
  type OpenedMemory,
  openMemory,
} from '../memory/index.js';
import { candidateLimit, formatCitation } from '../memory/search/index.js';
import type { SyncEvent } from '../memory/sync/index.js';
import type { EngineContext } from '../support/context.js';
import { groupBy } from '../support/lists.js';
import {
  type AnsweredQuestion,
  type Answers,
  type AskOptions,
  askMemory,
  modeOf,
  rerankOf,
} from './ask-memory.js';
import { compareWithBaseline, readBaseline, writeBaseline } from './baseline.js';
import { compareRuns } from './compare-runs.js';
import { explainMisses, type Miss } from './explain-miss.js';
import { latencyOf, type Metrics, meanMetrics } from './metrics.js';
import type { EvalOutput, EvalVariant } from './output-schemas.js';
import { type EvalQuestion, type Expectation, readQuestions } from './question-file.js';
import {
  AS_CONFIGURED,
  parseTrials,
  setsKey,
  type Trial,
  tidyTrialIndexes,
  toTrial,
} from './trials.js';

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

/** How a file of questions is evaluated. Paths are absolute. */
export interface FileEvaluation extends Pick<AskOptions, 'maxResults' | 'minScore' | 'signal'> {
  readonly file: string;
  /** The memory for questions without a workspace. */
  readonly selection: MemorySelection;
  /** From `--config`. */
  readonly configFile: string | undefined;
  /** Variants as typed; see parseTrials. */
  readonly compare: readonly string[];
  readonly baselineFile: string | undefined;
  /** Allowed drop of a metric below the baseline. */
  readonly margin: number;
  readonly writeTo: string | undefined;
  readonly seed: number;
  readonly onEvent: (event: EvalEvent) => void;
}

/** What all trials of an evaluation have in common. */
interface Evaluation
  extends Pick<FileEvaluation, 'maxResults' | 'minScore' | 'onEvent' | 'signal'> {
  readonly questions: readonly EvalQuestion[];
  readonly warnings: Warning[];
  /**
   * Opens a memory with the settings of a trial.
   *
   * @param workspace the folder named by questions; undefined for the evaluated memory
   */
  readonly open: (trial: Trial, workspace: string | undefined) => Promise<OpenedMemory>;
}

/** The result of one set of settings. */
interface TrialResult extends Omit<EvalVariant, 'name' | 'settings'> {
  readonly trial: Trial;
  readonly questions: readonly AnsweredQuestion[];
}

/**
 * Searches for every question of a file with every trial, and compares the results with what is expected. Its searches do
 * not count as recalls for dreaming.
 *
 * @throws SvcError EVAL_*, USAGE for variants; what opening a memory throws; a provider's error if some passages have no
 *   vectors; the signal's reason
 */
export async function evaluateFile(context: EngineContext, options: FileEvaluation) {
  const { file, selection, configFile, baselineFile, writeTo } = options;
  const { maxResults, minScore, seed, margin } = options;
  // Report invalid arguments before searching anything.
  const questions = readQuestions(file);
  const trials = parseTrials(options.compare);
  const baseline = baselineFile === undefined ? undefined : readBaseline(baselineFile, options);
  const unrecorded: MemoryContext = { ...context, onRecall: undefined, onLookup: undefined };
  let agentId: string | null = null;
  const open = async (trial: Trial, workspace: string | undefined): Promise<OpenedMemory> => {
    const dir = workspace === undefined ? undefined : resolve(dirname(file), workspace);
    const memorySelection: MemorySelection =
      dir === undefined ? selection : { kind: 'workspace', dir };
    const memory = await openMemory(unrecorded, memorySelection, { configFile, trial });
    if (dir === undefined) agentId = memory.agentId;
    return memory;
  };
  // Fail early: embedding for the first variant may take an hour.
  for (const trial of trials) await (await open(trial, questions[0]?.workspace)).backend.close();
  const evaluation: Evaluation = { ...options, questions, open, warnings: [] };
  const misses: Miss[] = [];
  const first = await runTrial(AS_CONFIGURED, evaluation, misses);
  const results = [first];
  for (const trial of trials) {
    const result = await runTrial(trial, evaluation, undefined);
    const differences = compareRuns(metricsOf(first), metricsOf(result), seed);
    results.push({ ...result, differences });
  }
  await tidyTrialIndexes(context.state, context.clock);
  if (writeTo !== undefined) {
    writeBaseline(writeTo, first.questions, options, context.clock.now());
  }
  const output: EvalOutput = {
    agent: agentId,
    file,
    questions: questions.length,
    maxResults,
    minScore: minScore ?? null,
    seed,
    variants: results.map(({ trial, questions: _, latencyMs, ...rest }) => {
      return { name: trial.name, settings: trial.settings, ...rest, latencyMs };
    }),
    misses: misses.map(missOutput),
    baseline:
      baseline === undefined || baselineFile === undefined
        ? null
        : { file: baselineFile, margin, ...compareWithBaseline(baseline, first.questions, margin) },
    written: writeTo ?? null,
  };
  return { output, warnings: evaluation.warnings };
}

/** @param misses receives those of the configured settings; undefined for other trials */
async function runTrial(
  trial: Trial,
  evaluation: Evaluation,
  misses: Miss[] | undefined,
): Promise<TrialResult> {
  const { questions, onEvent, signal } = evaluation;
  onEvent({ type: 'trial.started', name: trial.name });
  const answered: AnsweredQuestion[] = [];
  let done = 0;
  for (const [workspace, group] of groupBy(questions, (question) => question.workspace)) {
    const memory = await evaluation.open(trial, workspace);
    try {
      const answers = await askMemory(memory, group, {
        ...limitsOf(trial, memory, evaluation),
        signal,
        onSync: (event) => onEvent({ type: 'sync', event }),
        onAnswer: () => {
          done += 1;
          onEvent({ type: 'question.asked', name: trial.name, done, all: questions.length });
        },
      });
      answered.push(...answers.questions);
      evaluation.warnings.push(...answers.warnings);
      if (misses === undefined) continue;
      onEvent({ type: 'misses.started', name: trial.name });
      misses.push(...(await missesOf(answers, memory, workspace, evaluation)));
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

/** A trial's own maxResults and minScore override those of the command. */
function limitsOf(trial: Trial, { agent }: OpenedMemory, { maxResults, minScore }: Evaluation) {
  const { query } = agent.memorySearch;
  return {
    maxResults: setsKey(trial, 'query.maxResults') ? query.maxResults : maxResults,
    minScore: setsKey(trial, 'query.minScore') ? undefined : minScore,
  };
}

/** The misses of the configured settings. */
async function missesOf(
  answers: Answers,
  { agent }: OpenedMemory,
  workspace: string | undefined,
  { open, maxResults, signal }: Evaluation,
): Promise<readonly Miss[]> {
  const { hybrid, rerank } = agent.memorySearch.query;
  const reranked = rerank.provider === 'none' ? 0 : rerank.topN;
  const rankedCount = candidateLimit(maxResults, hybrid, reranked);
  const pool = await open(toTrial('query.hybrid.candidateMultiplier=1'), workspace);
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

/** An expectation as written in a file of questions; text in quotes. */
function expectationWords(expected: Expectation): string {
  switch (expected.kind) {
    case 'file':
      return expected.path;
    case 'lines':
      return formatCitation(expected);
    case 'text':
      return JSON.stringify(expected.text);
  }
}

function missOutput({ answer, target, reason }: Miss): EvalOutput['misses'][number] {
  const { id, question, workspace } = answer.question;
  return {
    id,
    question,
    ...(workspace !== undefined && { workspace }),
    expected: expectationWords(target),
    ...reason,
  };
}

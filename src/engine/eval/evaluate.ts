import type { Warning } from '../errors/index.js';
import type { OpenedMemory } from '../memory/open-memory.js';
import { candidateLimit } from '../memory/search/search-index.js';
import type { SearchMode } from '../memory/search/types.js';
import type { SyncEvent } from '../memory/sync/events.js';
import { type AskedMemory, type AskedQuestion, askMemory, modeOf } from './ask-memory.js';
import { compareRuns, type Difference } from './bootstrap.js';
import { explainMisses, type Miss } from './explain-miss.js';
import { type Figures, meanFigures } from './figures.js';
import { type Latency, latencyOf } from './latency.js';
import type { EvalQuestion } from './question-file.js';
import { searchedWith, sets, type Trial } from './trials.js';

/** What an evaluation tells while it runs. */
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

/** What is evaluated, and how. */
export interface EvalRequest {
  readonly questions: readonly EvalQuestion[];
  /** At least one; the others are held against the first. */
  readonly trials: readonly [Trial, ...Trial[]];
  readonly maxResults: number;
  /** `query.minScore` when undefined. */
  readonly minScore: number | undefined;
  /** Chooses the resamples that differences are judged by. */
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly onEvent: (event: EvalEvent) => void;
  /**
   * Opens the memory that questions are for, with the settings of a trial.
   *
   * @param workspace the folder that the questions name; undefined for the memory that is evaluated
   */
  readonly open: (trial: Trial, workspace: string | undefined) => Promise<OpenedMemory>;
}

/** The figures of the questions that have a tag. */
export interface TagFigures {
  readonly tag: string;
  readonly questions: number;
  readonly figures: Figures;
}

/** What came of the questions with one set of settings. */
export interface TrialResult {
  readonly trial: Trial;
  readonly mode: SearchMode;
  readonly provider: string | null;
  readonly model: string | null;
  /** Questions that were answered by words alone although a provider is configured. */
  readonly fellBack: number;
  readonly figures: Figures;
  readonly tags: readonly TagFigures[];
  readonly latency: Latency;
  /** From the first trial; none for that one. */
  readonly differences: readonly Difference[];
  /** In the order of the questions. */
  readonly asked: readonly AskedQuestion[];
}

/** What came of an evaluation. */
export interface Evaluation {
  readonly results: readonly [TrialResult, ...TrialResult[]];
  /** Of the first trial. */
  readonly misses: readonly Miss[];
  readonly warnings: readonly Warning[];
}

/**
 * Asks every question of every trial, and holds what is found against what is expected.
 *
 * @throws SvcError what opening a memory throws; a provider's error when not all passages get
 *   vectors; the signal's reason
 */
export async function evaluate(request: EvalRequest): Promise<Evaluation> {
  const [firstTrial, ...otherTrials] = request.trials;
  const warnings: Warning[] = [];
  const misses: Miss[] = [];
  const first = await runTrial(firstTrial, request, warnings, misses);
  const others: TrialResult[] = [];
  for (const trial of otherTrials) {
    const result = await runTrial(trial, request, warnings, undefined);
    const [before, after] = [figuresOf(first), figuresOf(result)];
    others.push({ ...result, differences: compareRuns(before, after, request.seed) });
  }
  return { results: [first, ...others], misses, warnings };
}

/** @param misses gets the misses; undefined leaves them alone */
async function runTrial(
  trial: Trial,
  request: EvalRequest,
  warnings: Warning[],
  misses: Miss[] | undefined,
): Promise<TrialResult> {
  const { questions, onEvent, signal } = request;
  onEvent({ type: 'trial.started', name: trial.name });
  const asked: AskedQuestion[] = [];
  let done = 0;
  for (const [workspace, group] of byWorkspace(questions)) {
    const memory = await request.open(trial, workspace);
    try {
      const answers = await askMemory(memory, group, {
        ...askedBy(trial, memory, request),
        signal,
        onSync: (event) => onEvent({ type: 'sync', event }),
        onAsked: () => {
          done += 1;
          onEvent({ type: 'question.asked', name: trial.name, done, all: questions.length });
        },
      });
      asked.push(...answers.asked);
      warnings.push(...answers.warnings);
      if (misses === undefined) continue;
      misses.push(...(await missesOf(answers, memory, trial, workspace, request)));
      signal.throwIfAborted();
    } finally {
      await memory.backend.close();
    }
  }
  return {
    trial,
    ...modeOf(asked),
    figures: meanFigures(asked.map(({ figures }) => figures)),
    tags: tagFigures(asked),
    latency: latencyOf(asked.map(({ ms }) => ms)),
    differences: [],
    asked: inOrderOf(questions, asked),
  };
}

/** A trial that sets how many results there are, or their least score, is asked so. */
function askedBy(
  trial: Trial,
  { agent }: OpenedMemory,
  { maxResults, minScore }: EvalRequest,
): Pick<EvalRequest, 'maxResults' | 'minScore'> {
  const { query } = agent.memorySearch;
  return {
    maxResults: sets(trial, 'query.maxResults') ? query.maxResults : maxResults,
    minScore: sets(trial, 'query.minScore') ? undefined : minScore,
  };
}

async function missesOf(
  answers: AskedMemory,
  { agent }: OpenedMemory,
  trial: Trial,
  workspace: string | undefined,
  { open, onEvent, maxResults, signal }: EvalRequest,
): Promise<readonly Miss[]> {
  onEvent({ type: 'misses.started', name: trial.name });
  const ranked = candidateLimit(maxResults, agent.memorySearch.query.hybrid);
  const pool = await open(searchedWith(trial, 'query.hybrid.candidateMultiplier', '1'), workspace);
  try {
    return await explainMisses(answers, { maxResults, signal, pool, ranked });
  } finally {
    await pool.backend.close();
  }
}

function byWorkspace(
  questions: readonly EvalQuestion[],
): ReadonlyMap<string | undefined, readonly EvalQuestion[]> {
  const groups = new Map<string | undefined, EvalQuestion[]>();
  for (const question of questions) {
    const group = groups.get(question.workspace);
    if (group === undefined) groups.set(question.workspace, [question]);
    else group.push(question);
  }
  return groups;
}

function inOrderOf(
  questions: readonly EvalQuestion[],
  asked: readonly AskedQuestion[],
): readonly AskedQuestion[] {
  const places = new Map(questions.map(({ id }, place) => [id, place]));
  const placeOf = ({ question }: AskedQuestion): number => places.get(question.id) ?? 0;
  return asked.toSorted((a, b) => placeOf(a) - placeOf(b));
}

function tagFigures(asked: readonly AskedQuestion[]): readonly TagFigures[] {
  const tags = [...new Set(asked.flatMap(({ question }) => question.tags))].sort();
  return tags.map((tag) => {
    const tagged = asked.filter(({ question }) => question.tags.includes(tag));
    const figures = meanFigures(tagged.map((one) => one.figures));
    return { tag, questions: tagged.length, figures };
  });
}

function figuresOf({ asked }: TrialResult): readonly Figures[] {
  return asked.map(({ figures }) => figures);
}

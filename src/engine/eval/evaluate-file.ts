import { dirname, resolve } from 'node:path';
import type { EngineContext } from '../context.js';
import type { Warning } from '../errors/index.js';
import { type MemorySelection, type OpenedMemory, openMemory } from '../memory/open-memory.js';
import { holdAgainst, readBaseline, writeBaseline } from './baseline.js';
import { type EvalEvent, evaluate } from './evaluate.js';
import { evalOutput } from './output.js';
import type { EvalOutput } from './output-schemas.js';
import { readQuestions } from './question-file.js';
import { tidyTrialIndexes } from './trial-indexes.js';
import { AS_CONFIGURED, parseTrials, type Trial } from './trials.js';

/** What is asked, of whom, and what becomes of the figures. Paths are absolute. */
export interface FileEvaluation {
  readonly file: string;
  /** The memory that questions are for which name no workspace of their own. */
  readonly selection: MemorySelection;
  /** The file named by `--config`. */
  readonly configFile: string | undefined;
  /** Variants as they are typed; see parseTrials. */
  readonly compare: readonly string[];
  readonly maxResults: number;
  /** `query.minScore` when undefined. */
  readonly minScore: number | undefined;
  readonly seed: number;
  readonly baselineFile: string | undefined;
  /** How much lower than the baseline a figure may be. */
  readonly margin: number;
  /** Where a baseline is written. */
  readonly writeTo: string | undefined;
  readonly signal: AbortSignal;
  readonly onEvent: (event: EvalEvent) => void;
}

/**
 * Evaluates a file of questions. What is asked is no recall: dreaming hears nothing of it.
 *
 * @throws SvcError EVAL_*, USAGE for variants, and what `evaluate` throws
 */
export async function evaluateFile(
  context: EngineContext,
  options: FileEvaluation,
): Promise<{ readonly output: EvalOutput; readonly warnings: readonly Warning[] }> {
  const { file, selection, configFile, baselineFile, writeTo } = options;
  // What is wrong with what was typed is said before anything is searched.
  const questions = readQuestions(file);
  const trials = parseTrials(options.compare);
  const baseline = baselineFile === undefined ? undefined : readBaseline(baselineFile, options);
  const unheard: EngineContext = { ...context, onRecall: undefined };
  let agentId: string | null = null;
  const open = async (trial: Trial, workspace: string | undefined): Promise<OpenedMemory> => {
    const dir = workspace === undefined ? undefined : resolve(dirname(file), workspace);
    const whose: MemorySelection = dir === undefined ? selection : { kind: 'workspace', dir };
    const memory = await openMemory(unheard, whose, { configFile, trial });
    if (dir === undefined) agentId = memory.agentId;
    return memory;
  };
  // A setting that cannot be tried is not found out after an hour of embedding for another.
  for (const trial of trials) await (await open(trial, questions[0]?.workspace)).backend.close();
  const request = { ...options, questions, trials: [AS_CONFIGURED, ...trials], open } as const;
  const evaluation = await evaluate(request);
  await tidyTrialIndexes(context.state, context.clock);
  const [first] = evaluation.results;
  const verdict =
    baseline === undefined || baselineFile === undefined
      ? undefined
      : {
          file: baselineFile,
          margin: options.margin,
          ...holdAgainst(baseline, first, options.margin),
        };
  if (writeTo !== undefined) writeBaseline(writeTo, first, options, context.clock.now());
  const details = { ...options, questions, agentId, baseline: verdict, written: writeTo };
  return { output: evalOutput(evaluation, details), warnings: evaluation.warnings };
}

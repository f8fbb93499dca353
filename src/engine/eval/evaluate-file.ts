import { dirname, resolve } from 'node:path';
import type { Warning } from '../errors/index.js';
import {
  type MemoryContext,
  type MemorySelection,
  type OpenedMemory,
  openMemory,
} from '../memory/index.js';
import { formatCitation } from '../memory/search/index.js';
import type { EngineContext } from '../support/context.js';
import { compareWithBaseline, readBaseline, writeBaseline } from './baseline.js';
import { type EvalRequest, evaluate } from './evaluate.js';
import type { Miss } from './explain-miss.js';
import type { EvalOutput } from './output-schemas.js';
import { type Expectation, readQuestions } from './question-file.js';
import { AS_CONFIGURED, parseTrials, type Trial, tidyTrialIndexes } from './trials.js';

/** How a file of questions is evaluated. Paths are absolute. */
export interface FileEvaluation
  extends Pick<EvalRequest, 'maxResults' | 'minScore' | 'onEvent' | 'seed' | 'signal'> {
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
}

/**
 * Evaluates a file of questions. Its searches do not count as recalls for dreaming.
 *
 * @throws SvcError EVAL_*, USAGE for variants, and what `evaluate` throws
 */
export async function evaluateFile(
  context: EngineContext,
  options: FileEvaluation,
): Promise<{ readonly output: EvalOutput; readonly warnings: readonly Warning[] }> {
  const { file, selection, configFile, baselineFile, writeTo } = options;
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
  const request = { ...options, questions, trials: [AS_CONFIGURED, ...trials], open } as const;
  const { results, misses, warnings } = await evaluate(request);
  await tidyTrialIndexes(context.state, context.clock);
  const [first] = results;
  const { maxResults, minScore, seed, margin } = options;
  if (writeTo !== undefined) writeBaseline(writeTo, first, options, context.clock.now());
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
        : { file: baselineFile, margin, ...compareWithBaseline(baseline, first, margin) },
    written: writeTo ?? null,
  };
  return { output, warnings };
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

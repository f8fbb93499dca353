import { formatCitation } from '../memory/search/citation.js';
import type { BaselineVerdict } from './baseline.js';
import type { EvalRequest, Evaluation, TrialResult } from './evaluate.js';
import type { Miss } from './explain-miss.js';
import type { EvalOutput } from './output-schemas.js';
import type { Expectation } from './question-file.js';

/** What an evaluation was about, besides its results. */
export interface EvalDetails
  extends Pick<EvalRequest, 'maxResults' | 'minScore' | 'questions' | 'seed'> {
  /** Null for a folder named by `--workspace`, and where every question names its own. */
  readonly agentId: string | null;
  /** Absolute path of the file of questions. */
  readonly file: string;
  readonly baseline: HeldBaseline | undefined;
  /** Absolute path of the baseline that was written. */
  readonly written: string | undefined;
}

/** A baseline with what came of it. */
export interface HeldBaseline extends BaselineVerdict {
  readonly file: string;
  readonly margin: number;
}

/** `svc memory eval --json`. */
export function evalOutput({ results, misses }: Evaluation, details: EvalDetails): EvalOutput {
  const { agentId, file, questions, maxResults, minScore, seed, baseline, written } = details;
  return {
    agent: agentId,
    file,
    questions: questions.length,
    maxResults,
    minScore: minScore ?? null,
    seed,
    variants: results.map(variantOutput),
    misses: misses.map(missOutput),
    baseline: baseline ?? null,
    written: written ?? null,
  };
}

/** Something expected, as a file of questions has it; a text in quotes. */
function expectationWords(expected: Expectation): string {
  switch (expected.kind) {
    case 'file':
      return expected.path;
    case 'lines':
      return formatCitation(expected.path, expected);
    case 'text':
      return JSON.stringify(expected.text);
  }
}

function variantOutput(result: TrialResult): EvalOutput['variants'][number] {
  const { trial, latency, asked: _, ...rest } = result;
  return { name: trial.name, settings: trial.settings, ...rest, latencyMs: latency };
}

function missOutput({ asked, target, reason }: Miss): EvalOutput['misses'][number] {
  const { id, question, workspace } = asked.question;
  return {
    id,
    question,
    ...(workspace === undefined ? {} : { workspace }),
    expected: expectationWords(target),
    ...reason,
  };
}

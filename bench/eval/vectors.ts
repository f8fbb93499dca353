import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type EvalQuestion, readQuestions } from '../../src/engine/eval/question-file.js';
import { meaningOf, noiseOf } from '../../test/fakes/meaning.js';
import type { Relevance } from '../../test/fakes/rerankers.js';
import { chanceOf } from './directions.js';
import { type AnsweredQuestion, informedVectors } from './informed.js';
import { learnVectors } from './learned.js';

type Vectors = (text: string, dimensions: number) => Float32Array;

/** Only the first lines of a long section count as the answer. */
const ANSWERING_LINES = 6;
/** A shorter line may be in many places. */
const TELLING_CHARACTERS = 12;

/**
 * The vectors of the providers to compare: `meaning`, hashed words and word parts; `learned`, from words that
 * occur together; `informed`, which partly knows the answers; and `noise`.
 *
 * @param words arguments of `svc memory eval`, of which the first may be a file of questions
 */
export function vectorsFor(words: readonly string[]): Readonly<Record<string, Vectors>> {
  const plain = { meaning: meaningOf, noise: noiseOf };
  const questions = questionsIn(words);
  if (questions === undefined) return plain;
  const workspaces = [...new Set(questions.map(({ workspace }) => workspace))];
  return {
    ...plain,
    learned: learnVectors(workspaces.flatMap(notesIn)),
    informed: informedVectors(questions.map(withAnswers)),
  };
}

/**
 * The scores of the rerankers to compare, by model: `oracle` knows the answers, which shows the most that an
 * order can gain, and `noise` knows nothing.
 *
 * @param words arguments of `svc memory eval`, of which the first may be a file of questions
 */
export function relevanceFor(words: readonly string[]): Relevance {
  const answers = new Map<string, Set<string>>();
  for (const { question, answers: lines } of (questionsIn(words) ?? []).map(withAnswers)) {
    const known = answers.get(question) ?? new Set();
    for (const line of lines) known.add(line);
    answers.set(question, known);
  }
  return (query, document, model) => {
    if (model !== 'oracle') return chanceOf(`${query}\n${document}`)();
    const lines = answers.get(query);
    return document.split('\n').some((line) => lines?.has(line.trim())) ? 1 : 0;
  };
}

interface WorkspaceQuestion {
  readonly question: EvalQuestion;
  /** Absolute. */
  readonly workspace: string;
}

/** The questions with a workspace in a file; undefined without a file. */
function questionsIn([file = '']: readonly string[]): readonly WorkspaceQuestion[] | undefined {
  if (!file.endsWith('.jsonl')) return undefined;
  return readQuestions(file).flatMap((question) => {
    const { workspace } = question;
    return workspace === undefined
      ? []
      : [{ question, workspace: resolve(dirname(file), workspace) }];
  });
}

function notesIn(workspace: string): readonly string[] {
  return readdirSync(workspace, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => readFileSync(join(workspace, name), 'utf8'));
}

function withAnswers({
  question: { question, expect },
  workspace,
}: WorkspaceQuestion): AnsweredQuestion {
  const answers = expect.flatMap((expected) => {
    if (expected.kind !== 'lines') return [];
    const lines = readFileSync(join(workspace, expected.path), 'utf8').split('\n');
    return lines
      .slice(expected.startLine - 1, expected.endLine)
      .slice(0, ANSWERING_LINES)
      .map((line) => line.trim())
      .filter((line) => line.length > TELLING_CHARACTERS);
  });
  return { question, answers };
}

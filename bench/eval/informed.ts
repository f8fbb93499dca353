import { chanceOf, normal, randomDirection, unit } from './directions.js';

/** A question and the texts of the lines that answer it. */
export interface AnsweredQuestion {
  readonly question: string;
  readonly answers: readonly string[];
}

/** Mean and spread of the similarity of answers to their question, in standard deviations of unrelated texts. */
const NEARNESS = 4;
const SPREAD = 2;

/**
 * Simulates an imperfect model: each text has a random direction, and one with an answer leans towards the
 * question, more or less. It does not model text; it shows what search makes of a provider that knows something
 * keywords do not.
 */
export function informedVectors(
  questions: readonly AnsweredQuestion[],
): (text: string, dimensions: number) => Float32Array {
  const askedTexts = new Set(questions.map(({ question }) => question));
  const byLine = new Map<string, Set<string>>();
  for (const { question, answers } of questions) {
    for (const line of answers) byLine.set(line, (byLine.get(line) ?? new Set()).add(question));
  }
  return (text, dimensions) => {
    const vector = randomDirection(text, dimensions);
    if (askedTexts.has(text)) return vector;
    const answered = new Set(
      text.split('\n').flatMap((line) => [...(byLine.get(line.trim()) ?? [])]),
    );
    for (const question of answered) {
      const chance = chanceOf(`${question}\n${text}`);
      const near = Math.max(0, NEARNESS + SPREAD * normal(chance)) / Math.sqrt(dimensions);
      const towards = randomDirection(question, dimensions);
      for (let at = 0; at < dimensions; at++) {
        vector[at] = (vector[at] ?? 0) + near * (towards[at] ?? 0);
      }
    }
    return unit(vector);
  };
}

import { appendFileSync } from 'node:fs';
import { dreamWorkspace } from '../src/engine/dreaming/dream-workspace.js';
import { appendRecall } from '../src/engine/dreaming/recall-log/recall-log.js';
import { queryHashOf } from '../src/engine/dreaming/recall-log/recalled-claims.js';
import type { TempFolder } from '../test/support/temp-folder.js';

const DAY_MS = 86_400_000;

/** The daily note of two days ago, relative to the workspace. */
export const NOTE = `memory/${new Date(Date.now() - 2 * DAY_MS).toISOString().slice(0, 10)}.md`;

const QUESTIONS = ['when', 'who', 'where', 'what time', 'which shelf', 'whose'];

/** Adds a unique statement to the note and logs recalls of it. @returns its text */
export function askForClaim(home: TempFolder, number: number): string {
  const word = [...String(number)].map((digit) => 'abcdefghij'.charAt(Number(digit))).join('');
  const text = `Service x${word} keeps q${word} under shelf z${word} of room y${word}.`;
  appendFileSync(home.at(`workspace/${NOTE}`), `- ${text}\n`);
  const { recallLog } = dreamWorkspace(home.at('workspace'), { stateDir: home.path }).files;
  for (const [at, question] of QUESTIONS.entries()) {
    appendRecall(recallLog, {
      atMs: Date.now() - at * 0.8 * DAY_MS,
      queryHash: queryHashOf(`${question} ${word}`),
      claims: [{ text, source: 'memory', path: NOTE, startLine: 1, endLine: 1, score: 0.9 }],
    });
  }
  return text;
}

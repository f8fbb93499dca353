/**
 * `npm run eval -- --recalls FOLDER`: how often active memory, without a model, adds words of the right lines to a turn:
 * the share of questions on a set of conversations of which the summary contains six words in a row from a line that is
 * evidence, for several lengths of the summary. And how often it adds something to requests that these conversations
 * cannot help with.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRecallLane } from '../../src/engine/active-memory/index.js';
import { type EvalQuestion, parseQuestions } from '../../src/engine/eval/question-file.js';
import { contextOf } from '../../test/support/context.js';
import { chatQuestions } from './chat-questions.js';

/** `maxSummaryChars`, of which the first is the default. */
const LENGTHS = [220, 500, 1000] as const;
/** What people ask coding agents for. */
const REQUESTS = [
  'fix the failing test in CI',
  'please run the linter and commit the changes',
  'why does this function return undefined?',
  'refactor the parser into smaller functions',
  'write a migration that adds a column to the users table',
  'can you explain what this regex does?',
  'update the readme with the new install instructions',
  'the build is broken on windows, please look into it',
  'make the button blue and align it to the right',
  'rename the variable foo to bar everywhere',
  'this test is flaky, find the cause',
  'how do I undo my last git commit?',
  'remove unused imports',
  'show me the diff',
  'bump all dependencies to their latest version',
  'the page takes too long to load, profile it',
  'handle the error when the file does not exist',
  'make a plan first, then implement it',
  'continue with the next step',
  'that is wrong, try again',
  'what did you change?',
  'add logging around the payment call',
  'summarize this article in three bullet points',
  'how many files are in the src folder?',
];
const WORDS_IN_A_ROW = 6;
const WORD = /[\p{L}\p{N}]+/gu;
const CITATION = / \([^()]*#L\d+(?:-L\d+)?\)/gu;
/** Of a turn, which is on many other lines. */
const SPEAKER = /^\*\*[^*]+\*\*/u;

/** @returns the exit code */
export async function recalls(folder: string): Promise<number> {
  const questions = parseQuestions(chatQuestions(folder), 'questions.jsonl');
  const home = mkdtempSync(join(tmpdir(), 'svc-recalls-'));
  try {
    for (const maxSummaryChars of LENGTHS) {
      configure(home, maxSummaryChars);
      let found = 0;
      for (const question of questions) {
        const summary = await recalled(question, home);
        if (evidenceOf(question).some((line) => isQuoted(line, summary))) found += 1;
      }
      const share = (found / questions.length).toFixed(3);
      process.stdout.write(`${maxSummaryChars} characters: ${share} of ${questions.length}\n`);
    }
    configure(home, LENGTHS[0]);
    const workspaces = new Set(questions.map(({ workspace }) => workspace));
    let disturbed = 0;
    for (const workspace of workspaces) {
      for (const question of REQUESTS) {
        if ((await recalled({ question, workspace }, home)) !== '') disturbed += 1;
      }
    }
    const asked = workspaces.size * REQUESTS.length;
    process.stdout.write(`unrelated requests: ${(disturbed / asked).toFixed(3)} of ${asked}\n`);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
  return 0;
}

function configure(home: string, maxSummaryChars: number): void {
  const plugin = { enabled: true, config: { agents: ['main'], maxSummaryChars } };
  const config = {
    agents: { defaults: { memorySearch: { provider: 'none' } } },
    plugins: { entries: { 'active-memory': plugin } },
  };
  writeFileSync(join(home, 'svc.json'), JSON.stringify(config));
}

async function recalled(
  { question, workspace }: Pick<EvalQuestion, 'question' | 'workspace'>,
  home: string,
): Promise<string> {
  const configFile = join(home, 'svc.json');
  const lane = await openRecallLane(contextOf(home), { configFile, workspace });
  const session = { sessionKey: 'agent:main:main', channel: 'cli', chatType: 'direct' } as const;
  const turn = { message: question, earlier: () => [], session, trigger: 'user' };
  const limits = { signal: new AbortController().signal, leftMs: Number.POSITIVE_INFINITY };
  const outcome = await lane.recall(turn, limits);
  await lane.close();
  return outcome.recalled?.summary ?? '';
}

function evidenceOf({ expect, workspace = '' }: EvalQuestion): readonly string[] {
  return expect.flatMap((expected) => {
    if (expected.kind !== 'lines') return [];
    const lines = readFileSync(join(workspace, expected.path), 'utf8').split('\n');
    return lines[expected.startLine - 1] ?? [];
  });
}

function isQuoted(line: string, summary: string): boolean {
  const words = wordsOf(line.replace(SPEAKER, ''));
  const length = Math.min(WORDS_IN_A_ROW, words.length);
  const said = ` ${wordsOf(summary.replaceAll(CITATION, '')).join(' ')} `;
  return words
    .slice(length - 1)
    .some((_, at) => said.includes(` ${words.slice(at, at + length).join(' ')} `));
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(WORD) ?? [];
}

import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { claimKeyOf } from '../../src/engine/dreaming/claims/claim-words.js';
import { editMemory, type MemoryEdit } from '../../src/engine/dreaming/promotion/memory-file.js';
import { recallOf } from '../../src/engine/dreaming/recall-log/recalled-claims.js';
import { type EvalQuestion, parseQuestions } from '../../src/engine/eval/question-file.js';
import { openMemory } from '../../src/engine/memory/index.js';
import { contextOf } from '../../test/support/context.js';

/** The most that three sweeps promote. */
const PROMOTED = 30;
const DAY = '2026-01-31';
/** Promotions come from every second question; the others are the test set. */
const ASKED_EVERY = 2;

interface RecalledClaim {
  readonly text: string;
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  times: number;
}

/**
 * Copies the workspaces after dreaming: what every second question recalled is in their `MEMORY.md` as sweeps
 * would have written it, the most recalled first. Ignores score and age gates, so more is promoted than in
 * reality.
 *
 * @param lines questions that name their workspaces
 * @param folder for the copies
 * @returns the questions for the copies, tagged by whether they led to promotions
 */
export async function dreamtQuestions(lines: string, folder: string): Promise<string> {
  const questions = parseQuestions(lines, 'questions');
  const workspaces = [...new Set(questions.flatMap(({ workspace }) => workspace ?? []))];
  for (const workspace of workspaces) {
    const copy = join(folder, basename(workspace));
    mkdirSync(folder, { recursive: true });
    cpSync(workspace, copy, { recursive: true });
    const workspaceQuestions = questions.filter((question) => question.workspace === workspace);
    await promote(
      copy,
      workspaceQuestions.filter((_, at) => at % ASKED_EVERY === 0),
      folder,
    );
  }
  const seen = new Map<string, number>();
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line, at) => {
      const written: Record<string, unknown> = JSON.parse(line);
      const workspace = questions[at]?.workspace ?? '';
      const place = seen.get(workspace) ?? 0;
      seen.set(workspace, place + 1);
      const tags = [place % ASKED_EVERY === 0 ? 'recalled' : 'others'];
      const dreamt = { ...written, tags, workspace: join(folder, basename(workspace)) };
      return `${JSON.stringify(dreamt)}\n`;
    })
    .join('');
}

async function promote(
  workspaceDir: string,
  questions: readonly EvalQuestion[],
  home: string,
): Promise<void> {
  const claims = await recalledBy(workspaceDir, questions, home);
  const often = claims.toSorted((a, b) => b.times - a.times).slice(0, PROMOTED);
  const edits = often.map(({ text, path, startLine, endLine, times }): MemoryEdit => {
    const key = claimKeyOf(text);
    return {
      kind: 'add',
      text,
      entry: { key, sweepId: DAY, path, lines: { startLine, endLine }, score: 0.9, recalls: times },
    };
  });
  const file = join(workspaceDir, 'MEMORY.md');
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  writeFileSync(file, editMemory(before, edits, DAY).text);
}

async function recalledBy(
  dir: string,
  questions: readonly EvalQuestion[],
  home: string,
): Promise<readonly RecalledClaim[]> {
  const context = contextOf(home);
  const configFile = join(home, 'svc.json');
  writeFileSync(
    configFile,
    JSON.stringify({ agents: { defaults: { memorySearch: { provider: 'none' } } } }),
  );
  const { backend } = await openMemory(context, { kind: 'workspace', dir }, { configFile });
  const claims = new Map<string, RecalledClaim>();
  for (const { question } of questions) {
    const response = await backend.search({ query: question });
    const results = response.results.map((result) => ({ ...result, path: dayOf(result.path) }));
    const recall = recallOf({ ...response, results }, 0);
    for (const { text, path, startLine, endLine } of recall?.claims ?? []) {
      const key = claimKeyOf(text);
      const known = claims.get(key) ?? { text, path, startLine, endLine, times: 0 };
      known.times += 1;
      claims.set(key, known);
    }
  }
  await backend.close();
  return [...claims.values()];
}

/** Only notes named by their date are short-term memory; here a day may have several. */
function dayOf(path: string): string {
  return path.replace(/(?<day>\d{4}-\d{2}-\d{2})[^/]*\.md$/u, '$<day>.md');
}

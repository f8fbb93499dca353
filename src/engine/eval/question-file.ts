import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { messageOf, SvcError } from '../errors/index.js';
import { parseCitation } from '../memory/search/citation.js';
import { shortHash } from '../short-hash.js';

/** What an answer to a question should bring up. */
export type Expectation =
  | { readonly kind: 'file'; readonly path: string }
  /** Lines of a file, 1-based, both ends included. */
  | {
      readonly kind: 'lines';
      readonly path: string;
      readonly startLine: number;
      readonly endLine: number;
    }
  /** Words that can be read in what is returned, wherever they stand. */
  | { readonly kind: 'text'; readonly text: string };

/** A question with what is known of its answer. */
export interface EvalQuestion {
  /** Tells it from the others; made from the question where the file gives none. */
  readonly id: string;
  readonly question: string;
  readonly expect: readonly Expectation[];
  readonly tags: readonly string[];
  /** The folder it is asked of, as the file names it; undefined for the memory that is evaluated. */
  readonly workspace: string | undefined;
}

const said = z.string().check(z.trim(), z.minLength(1));
const expectationSchema = z.union([said, z.strictObject({ text: said })]);

/** One line of a file of questions (docs/eval.md). */
const questionSchema = z.strictObject({
  id: z.optional(said),
  question: said,
  expect: z.array(expectationSchema).check(z.minLength(1)),
  tags: z.optional(z.array(said)),
  workspace: z.optional(said),
});

interface LineFault {
  readonly line: number;
  readonly message: string;
}

const FAULTS_TOLD = 20;

/**
 * Reads a file of questions, one JSON object a line; blank lines are passed over.
 *
 * @throws SvcError EVAL_QUESTIONS_INVALID with the place of the first fault and a list of them
 */
export function readQuestions(file: string): readonly EvalQuestion[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new SvcError('EVAL_QUESTIONS_INVALID', `cannot read ${file}: ${messageOf(error)}`, {
      hint: 'name a file of questions, or make one: svc memory eval --generate 20',
    });
  }
  return parseQuestions(text, file);
}

/** The same from the text of a file. */
export function parseQuestions(text: string, file: string): readonly EvalQuestion[] {
  const questions = new Map<string, EvalQuestion>();
  const faults: LineFault[] = [];
  for (const [at, written] of text
    .replace(/^\uFEFF/u, '')
    .split('\n')
    .entries()) {
    if (written.trim() === '') continue;
    const read = readLine(written);
    if (typeof read === 'string') faults.push({ line: at + 1, message: read });
    else if (questions.has(read.id)) {
      faults.push({ line: at + 1, message: `another line has the id ${JSON.stringify(read.id)}` });
    } else questions.set(read.id, read);
  }
  if (faults.length > 0) throw faultsError(file, faults);
  if (questions.size > 0) return [...questions.values()];
  throw new SvcError('EVAL_QUESTIONS_INVALID', `${file} holds no questions`, {
    hint: 'draft some: svc memory eval --generate 20',
  });
}

function readLine(written: string): EvalQuestion | string {
  let value: unknown;
  try {
    value = JSON.parse(written);
  } catch (error) {
    return `it is not JSON: ${messageOf(error)}`;
  }
  const parsed = questionSchema.safeParse(value);
  if (!parsed.success) return issueWords(parsed.error.issues[0]);
  const { id, question, expect, tags = [], workspace } = parsed.data;
  return {
    // The same question may be asked of two folders.
    id: id ?? shortHash(`${workspace ?? ''}\n${question}`),
    question,
    expect: expect.map(toExpectation),
    tags: [...new Set(tags)],
    workspace,
  };
}

function toExpectation(written: string | { readonly text: string }): Expectation {
  if (typeof written !== 'string') return { kind: 'text', text: written.text };
  const { path, range } = parseCitation(written.replace(/^\.\//u, ''));
  if (range === undefined) return { kind: 'file', path };
  const { startLine, endLine } = range;
  return {
    kind: 'lines',
    path,
    startLine: Math.min(startLine, endLine),
    endLine: Math.max(startLine, endLine),
  };
}

function issueWords(issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined) return 'it is no question';
  if (issue.code === 'unrecognized_keys') return `it has an unknown key ${issue.keys.join(', ')}`;
  if (issue.path.length === 0) return 'it is no JSON object';
  const [key, position] = issue.path;
  if (key === 'expect' && position === undefined) {
    return '"expect" must be a list of at least one path, path#L3-L5 or {"text": …}';
  }
  if (key === 'expect') {
    return `"expect[${String(position)}]" must be a path, path#L3-L5 or {"text": …}`;
  }
  const what = key === 'tags' ? 'a list of texts' : 'a text that is not empty';
  return `"${String(key)}" must be ${what}`;
}

function faultsError(file: string, faults: readonly LineFault[]): SvcError {
  const [first] = faults;
  const more =
    faults.length > 1
      ? ` (and ${faults.length - 1} more ${faults.length === 2 ? 'line' : 'lines'})`
      : '';
  return new SvcError('EVAL_QUESTIONS_INVALID', `${first?.message ?? 'a fault'}${more}`, {
    hint: 'a line looks like {"question": "…", "expect": ["memory/2026-02-03.md#L3-L5"]}',
    location: { file, line: first?.line ?? 1, column: 1 },
    details: { faults: faults.slice(0, FAULTS_TOLD) },
  });
}

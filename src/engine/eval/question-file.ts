import * as z from 'zod/mini';
import { messageOf, SvcError, systemReason } from '../errors/index.js';
import { parseCitation, type SearchFilters } from '../memory/search/index.js';
import { readNamedFile } from '../support/files.js';
import { formatCountOf } from '../support/format.js';
import { nonEmpty } from '../support/lengths.js';
import { shortHash } from '../support/text.js';

/** What the results for a question should contain. */
export type Expectation =
  | { readonly kind: 'file'; readonly path: string }
  /** 1-based, inclusive. */
  | {
      readonly kind: 'lines';
      readonly path: string;
      readonly startLine: number;
      readonly endLine: number;
    }
  /** Words in the returned text, from any file. */
  | { readonly kind: 'text'; readonly text: string };

const nonEmptyText = z.string().check(z.trim(), nonEmpty());
const expectationSchema = z.pipe(
  z.union([nonEmptyText, z.strictObject({ text: nonEmptyText })]),
  z.transform(toExpectation),
);

const filtersSchema = z.strictObject({
  since: z.optional(nonEmptyText),
  before: z.optional(nonEmptyText),
  on: z.optional(nonEmptyText),
  where: z.optional(z.array(nonEmptyText)),
  tags: z.optional(z.array(nonEmptyText)),
  heading: z.optional(nonEmptyText),
  kinds: z.optional(z.array(nonEmptyText)),
} satisfies Record<keyof SearchFilters, z.core.$ZodType>);

/** A line in a file of questions (docs/eval.md). */
const questionSchema = z.strictObject({
  id: z.optional(nonEmptyText),
  question: nonEmptyText,
  expect: z.array(expectationSchema).check(nonEmpty()),
  tags: z._default(z.array(nonEmptyText), []),
  filters: z.optional(filtersSchema),
  /** The folder to search; undefined for the evaluated memory. */
  workspace: z.optional(nonEmptyText),
});

/** A question and what is expected; its default `id` is a hash. */
export type EvalQuestion = z.output<typeof questionSchema> & { readonly id: string };

interface LineFault {
  readonly line: number;
  readonly message: string;
}

const FAULTS_SHOWN = 20;

/** Of a file of questions or a baseline: more than 100,000 questions. */
export const MOST_EVAL_BYTES = 64 * 1024 * 1024;

/**
 * Reads a file of questions, one JSON object per line; blank lines are skipped.
 *
 * @throws SvcError EVAL_QUESTIONS_INVALID with the location of the first fault and a list of faults
 */
export function readQuestions(file: string): readonly EvalQuestion[] {
  let text: string;
  try {
    text = readNamedFile(file, MOST_EVAL_BYTES).toString('utf8');
  } catch (error) {
    throw new SvcError('EVAL_QUESTIONS_INVALID', `cannot read ${file}: ${systemReason(error)}`, {
      hint: 'pass a file of questions, or draft one with "svc memory eval --generate 20"',
    });
  }
  return parseQuestions(text, file);
}

export function parseQuestions(text: string, file: string): readonly EvalQuestion[] {
  const questions = new Map<string, EvalQuestion>();
  const faults: LineFault[] = [];
  for (const [at, lineText] of text
    .replace(/^\uFEFF/u, '')
    .split('\n')
    .entries()) {
    if (lineText.trim() === '') continue;
    const result = readLine(lineText);
    if (typeof result === 'string') faults.push({ line: at + 1, message: result });
    else if (questions.has(result.id)) {
      faults.push({ line: at + 1, message: `duplicate id ${JSON.stringify(result.id)}` });
    } else questions.set(result.id, result);
  }
  if (faults.length > 0) throw faultsError(file, faults);
  if (questions.size > 0) return [...questions.values()];
  throw new SvcError('EVAL_QUESTIONS_INVALID', `${file} contains no questions`, {
    hint: 'draft some with "svc memory eval --generate 20"',
  });
}

function readLine(lineText: string): EvalQuestion | string {
  let value: unknown;
  try {
    value = JSON.parse(lineText);
  } catch (error) {
    return `invalid JSON: ${messageOf(error)}`;
  }
  const parsed = questionSchema.safeParse(value);
  if (!parsed.success) return issueWords(parsed.error.issues[0]);
  const { question, tags, workspace = '' } = parsed.data;
  // The same question may be used for two workspaces.
  const { id = shortHash(`${workspace}\n${question}`) } = parsed.data;
  return { ...parsed.data, id, tags: [...new Set(tags)] };
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
  if (issue === undefined) return 'not a question';
  if (issue.code === 'unrecognized_keys') return `unknown key ${issue.keys.join(', ')}`;
  if (issue.path.length === 0) return 'must be a JSON object';
  const [key, position] = issue.path;
  if (key === 'expect' && position === undefined) {
    return '"expect" must be a list of at least one path, path#L3-L5 or {"text": …}';
  }
  if (key === 'expect') {
    return `"expect[${String(position)}]" must be a path, path#L3-L5 or {"text": …}`;
  }
  if (key === 'filters') {
    return '"filters" must have only since, before, on and heading (strings), and where, tags and kinds (lists)';
  }
  const expectedType = key === 'tags' ? 'a list of strings' : 'a non-empty string';
  return `"${String(key)}" must be ${expectedType}`;
}

function faultsError(file: string, faults: readonly LineFault[]): SvcError {
  const [first] = faults;
  const more = faults.length > 1 ? ` (and ${formatCountOf(faults.length - 1, 'more line')})` : '';
  return new SvcError('EVAL_QUESTIONS_INVALID', `${first?.message ?? 'a fault'}${more}`, {
    hint: 'example line: {"question": "…", "expect": ["memory/2026-02-03.md#L3-L5"]}',
    location: { file, line: first?.line ?? 1, column: 1 },
    details: { faults: faults.slice(0, FAULTS_SHOWN) },
  });
}

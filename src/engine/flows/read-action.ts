import type * as z from 'zod/mini';
import { ACTION_NAMES, actionSchema, type FlowAction } from './action-schemas.js';

type ReadAction =
  | { readonly ok: true; readonly action: FlowAction }
  | { readonly ok: false; readonly error: string };

/** The most characters that are quoted of a name in a body. */
const MOST_QUOTED_CHARS = 64;

/** Validates a parsed body. The error is the first fault, as `<path>: <what is wrong>`. */
export function readAction(body: unknown): ReadAction {
  const parsed = actionSchema.safeParse(body);
  if (parsed.success) return { ok: true, action: parsed.data };
  // Only now: reporting the input makes every check slower.
  const again = actionSchema.safeParse(body, { reportInput: true });
  const issue = again.error?.issues[0];
  const error =
    issue === undefined ? 'body: is not an action' : `${placeOf(issue)}: ${wordsOf(issue)}`;
  return { ok: false, error };
}

type Issue = z.core.$ZodIssue;

function placeOf({ path }: Issue): string {
  return path.length === 0 ? 'body' : path.map(String).join('.');
}

function wordsOf(issue: Issue): string {
  const isValue = issue.code === 'invalid_type' || issue.code === 'invalid_value';
  if (isValue && issue.input === undefined) return 'is missing';
  switch (issue.code) {
    case 'invalid_union':
      return `must be one of: ${ACTION_NAMES.join(', ')}`;
    case 'unrecognized_keys':
      return `has the unknown field ${quoted(issue.keys[0] ?? '')}`;
    case 'invalid_value':
      return `must be one of: ${issue.values.join(', ')}`;
    case 'invalid_type':
      return `must be ${typeWords(issue.expected)}`;
    case 'too_small':
      return issue.origin === 'string' ? 'must not be empty' : `must be ${issue.minimum} or more`;
    case 'too_big':
      return `must be ${issue.maximum} or less`;
    default:
      return issue.message;
  }
}

function typeWords(expected: string): string {
  if (expected === 'int') return 'a whole number';
  return /^[aeiou]/u.test(expected) ? `an ${expected}` : `a ${expected}`;
}

function quoted(name: string): string {
  return JSON.stringify(
    name.length > MOST_QUOTED_CHARS ? `${name.slice(0, MOST_QUOTED_CHARS)}…` : name,
  );
}

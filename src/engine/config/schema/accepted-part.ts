import type * as z from 'zod/mini';
import { isRecord, valueAt } from '../config-path.js';
import type { ConfigInput } from '../input.js';
import { configSchema } from './index.js';

/** Leaving a part out can uncover that its parent cannot be without it; this often at most. */
const MAX_ROUNDS = 8;

type Path = readonly PropertyKey[];

/**
 * The data without the parts at fault, so that rules across keys can look at the rest. A list that
 * holds one is left out as a whole: positions in paths stay true. Undefined when the schema accepts
 * nothing of it.
 */
export function acceptedPart(
  data: unknown,
  issues: readonly z.core.$ZodIssue[],
): ConfigInput | undefined {
  let rest = data;
  let found = issues;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    rest = without(
      rest,
      found.flatMap((issue) => faultyParts(rest, issue)),
    );
    const result = configSchema.safeParse(rest);
    if (result.success) return result.data;
    found = result.error.issues;
  }
  return undefined;
}

function faultyParts(data: unknown, issue: z.core.$ZodIssue): readonly Path[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => [...issue.path, key]);
  const path = issue.path.map((segment) => (typeof segment === 'symbol' ? '' : segment));
  // What is missing cannot be left out; what lacks it can.
  return [valueAt(data, path) === undefined ? path.slice(0, -1) : path];
}

function without(value: unknown, parts: readonly Path[]): unknown {
  if (parts.length === 0) return value;
  if (!isRecord(value) || parts.some((path) => path.length === 0)) return undefined;
  const byKey = new Map<string, Path[]>();
  for (const [first = '', ...rest] of parts) {
    byKey.set(String(first), [...(byKey.get(String(first)) ?? []), rest]);
  }
  const kept: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    const part = without(item, byKey.get(key) ?? []);
    if (part !== undefined) kept[key] = part;
  }
  return kept;
}

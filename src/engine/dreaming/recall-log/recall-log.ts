import { appendFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod/mini';
import { makeFolders, PRIVATE_MODE } from '../../support/files.js';
import { parsedJson } from '../../support/text.js';

/** A claim that answered a question, with the score of its search result, 0 to 1. */
export type RecalledClaim = Readonly<z.infer<typeof recalledClaim>>;
const recalledClaim = z.object({
  text: z.string(),
  source: z.enum(['memory', 'sessions']),
  path: z.string(),
  startLine: z.number(),
  endLine: z.number(),
  score: z.number(),
  /** In a shared memory: the host that has the claim's file. */
  origin: z.optional(z.string()),
});

/** A search and the claims it found, one line in the log. The question is stored only as a hash. */
export type RecallLine = Readonly<z.infer<typeof recallLine>>;
const recallLine = z.object({
  atMs: z.number(),
  queryHash: z.string(),
  claims: z.array(recalledClaim),
});

/** Undefined for a line truncated by a crash or broken by an edit. */
export function parseRecallLine(text: string): RecallLine | undefined {
  return recallLine.safeParse(parsedJson(text)).data;
}

/** The log stops growing at this size if no sweep empties it. */
export const MOST_LOG_BYTES = 32_000_000;

/**
 * Appends one search to the log with a single O_APPEND write, so lines of several processes never mix. It is
 * not synced to disk: losing the last searches in a power failure is acceptable.
 *
 * @returns false if the log is full
 * @throws the system's error
 */
export function appendRecall(file: string, recall: RecallLine): boolean {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined) makeFolders(dirname(file));
  else if (size >= MOST_LOG_BYTES) return false;
  appendFileSync(file, `${JSON.stringify(recall)}\n`, { mode: PRIVATE_MODE });
  return true;
}

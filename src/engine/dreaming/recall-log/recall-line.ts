import * as z from 'zod/mini';
import { parsedJson } from '../../parse-json.js';

/** One claim that answered a question. */
export interface RecalledClaim {
  readonly text: string;
  readonly source: 'memory' | 'sessions';
  /** Workspace-relative, forward slashes. */
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  /** Of the search result it stood in, 0 to 1. */
  readonly score: number;
}

/** One search and the claims it found, as the log keeps them: a line each. */
export interface RecallLine {
  readonly atMs: number;
  /** 12 hexadecimal digits; the question itself is not kept. */
  readonly queryHash: string;
  readonly claims: readonly RecalledClaim[];
}

const line = z.object({
  atMs: z.number(),
  queryHash: z.string(),
  claims: z.array(
    z.object({
      text: z.string(),
      source: z.enum(['memory', 'sessions']),
      path: z.string(),
      startLine: z.number(),
      endLine: z.number(),
      score: z.number(),
    }),
  ),
});

/** A line of the log, with its end. */
export function formatRecallLine(recall: RecallLine): string {
  return `${JSON.stringify(recall)}\n`;
}

/** Reads a line; undefined for one that a crash or another hand left broken. */
export function parseRecallLine(text: string): RecallLine | undefined {
  const read = line.safeParse(parsedJson(text));
  return read.success ? read.data : undefined;
}

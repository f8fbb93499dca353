import * as z from 'zod/mini';
import type { JsonValue } from '../../flows/index.js';
import { flowView, taskView } from '../../flows/views.js';
import type { TaskJob } from '../job.js';

/*
 * What svc and a program of runtime `subagent` say to each other. docs/tasks.md describes it for those
 * who write such programs.
 */

/** The version of what the program is given. */
const PROTOCOL_VERSION = 1;

/** What the program reads from stdin, before its end: one JSON document. */
export function taskDocument({ task, flow, maxAttempts }: TaskJob): string {
  return JSON.stringify({
    protocolVersion: PROTOCOL_VERSION,
    task: taskView(task),
    attempt: task.attempts,
    maxAttempts,
    sessionKey: task.ownerKey,
    flow: flow === undefined ? null : flowView(flow),
  });
}

const json: z.ZodMiniType<JsonValue> = z.json();

const messageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('progress'), text: z.string() }),
  z.object({
    type: z.literal('result'),
    summary: z.optional(z.string()),
    outcome: z.optional(z.enum(['succeeded', 'blocked'])),
    result: z.optional(json),
  }),
  z.object({
    type: z.literal('error'),
    message: z.string(),
    retry: z.optional(z.boolean()),
  }),
]);

/** A line of the program that says something. */
export type SubagentMessage = z.infer<typeof messageSchema>;

/** A line of stdout, as it is taken. */
export type SubagentLine =
  | { readonly kind: 'message'; readonly message: SubagentMessage }
  /** No JSON object: words for people. */
  | { readonly kind: 'words'; readonly text: string }
  /** A JSON object that is no message of this protocol. */
  | { readonly kind: 'unknown' };

/** Reads a line. */
export function readSubagentLine(line: string): SubagentLine {
  if (!line.trimStart().startsWith('{')) return { kind: 'words', text: line };
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { kind: 'words', text: line };
  }
  const read = z.safeParse(messageSchema, value);
  return read.success ? { kind: 'message', message: read.data } : { kind: 'unknown' };
}

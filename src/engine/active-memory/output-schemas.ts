import * as z from 'zod/mini';
import type { DeepReadonly } from '../config/index.js';
import { warningsSchema as warnings } from '../errors/output-schema.js';
import { GATES } from './gates.js';

/*
 * Schemas of the JSON documents that `svc memory recall` prints. They are checked by tests and make
 * docs/json.md; no command loads them.
 */

const line = z.int().check(z.minimum(1));
const gate = z.enum(GATES);

/** `svc memory recall --json`. */
export const recallOutputSchema = z.strictObject({
  status: z.enum(['closed', 'empty', 'ok', 'timeout', 'timeout_partial', 'unavailable']),
  agent: z.string(),
  sessionKey: z.nullable(z.string()),
  chatType: z.nullable(z.enum(['direct', 'group', 'channel', 'explicit'])),
  gates: z.array(
    z.strictObject({
      gate,
      open: z.boolean(),
      why: z.string(),
      mend: z.optional(z.string()),
    }),
  ),
  closedBy: z.nullable(gate),
  query: z.nullable(z.string()),
  queryMode: z.nullable(z.enum(['message', 'recent', 'full'])),
  promptStyle: z.nullable(
    z.enum([
      'balanced',
      'strict',
      'contextual',
      'recall-heavy',
      'precision-heavy',
      'preference-only',
    ]),
  ),
  mode: z.nullable(z.enum(['hybrid', 'lexical', 'vector'])),
  summary: z.nullable(z.string()),
  block: z.nullable(z.string()),
  sources: z.array(
    z.strictObject({
      path: z.string(),
      source: z.enum(['memory', 'sessions']),
      startLine: line,
      endLine: line,
      score: z.number().check(z.minimum(0), z.maximum(1)),
    }),
  ),
  model: z.nullable(z.string()),
  cached: z.boolean(),
  breaker: z.enum(['closed', 'half_open', 'open']),
  elapsedMs: z.number(),
  warnings: z.optional(warnings),
});

/** `svc memory recall --switch on|off --json`. */
export const recallSwitchOutputSchema = z.strictObject({
  agent: z.string(),
  sessionKey: z.string(),
  switchedOn: z.boolean(),
  warnings: z.optional(warnings),
});

type Document<T extends z.ZodMiniType> = DeepReadonly<Omit<z.infer<T>, 'warnings'>>;

export type RecallOutput = Document<typeof recallOutputSchema>;
export type RecallSwitchOutput = Document<typeof recallSwitchOutputSchema>;

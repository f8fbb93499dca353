import * as z from 'zod/mini';
import type { DeepReadonly } from '../config/index.js';
import { warningsSchema as warnings } from '../errors/output-schema.js';
import { AGENT_IDS } from './agent.js';

/*
 * Schemas of the JSON documents of svc integrate. They are checked by tests and make docs/json.md; no
 * command loads them.
 */

const scope = z.enum(['project', 'user']);

/** `svc integrate AGENT --json`. */
export const integrateOutputSchema = z.strictObject({
  agent: z.enum(AGENT_IDS),
  scope,
  action: z.enum(['add', 'remove']),
  written: z.boolean(),
  server: z.strictObject({
    name: z.string(),
    command: z.array(z.string()),
    env: z.record(z.string(), z.string()),
  }),
  hook: z.nullable(z.string()),
  changes: z.array(
    z.strictObject({
      file: z.string(),
      part: z.enum(['hook', 'server']),
      change: z.enum(['add', 'remove', 'update']),
      diff: z.array(
        z.strictObject({ kind: z.enum(['added', 'context', 'removed']), text: z.string() }),
      ),
    }),
  ),
  warnings: z.optional(warnings),
});

/** `svc integrate --list --json`. */
export const integrationsOutputSchema = z.strictObject({
  scope,
  agents: z.array(
    z.strictObject({
      agent: z.enum(AGENT_IDS),
      detected: z.boolean(),
      file: z.string(),
      servers: z.array(z.string()),
      hookFile: z.nullable(z.string()),
      hook: z.boolean(),
      error: z.nullable(z.strictObject({ code: z.string(), message: z.string() })),
    }),
  ),
  warnings: z.optional(warnings),
});

type Output<S extends z.ZodMiniType> = DeepReadonly<Omit<z.infer<S>, 'warnings'>>;

export type IntegrateOutput = Output<typeof integrateOutputSchema>;
export type IntegrationsOutput = Output<typeof integrationsOutputSchema>;

import * as z from 'zod/mini';
import type { DeepReadonly } from '../config/index.js';
import { warningsSchema as warnings } from '../errors/output-schema.js';

/** `svc mcp --http --json`, printed when the server ends. */
export const mcpOutputSchema = z.strictObject({
  transport: z.enum(['http', 'stdio']),
  url: z.nullable(z.string()),
  tokenFile: z.nullable(z.string()),
  reason: z.enum(['SIGINT', 'SIGTERM', 'closed']),
  warnings: z.optional(warnings),
});

export type McpOutput = DeepReadonly<Omit<z.infer<typeof mcpOutputSchema>, 'warnings'>>;

import * as z from 'zod/mini';
import { type DocumentOf, documentSchema, field } from '../errors/output-schema.js';

/** `svc mcp --http --json`, printed when the server ends. */
export const mcpOutputSchema = documentSchema({
  transport: field(z.enum(['http', 'stdio']), 'Always `http` in a printed document.'),
  url: field(z.nullable(z.string()), 'Where it listened.'),
  tokenFile: field(z.nullable(z.string()), 'Absolute path of the token file.'),
  reason: field(
    z.enum(['SIGINT', 'SIGTERM', 'closed']),
    'The signal that ended it; `closed` if the client disconnected.',
  ),
});

export type McpOutput = DocumentOf<typeof mcpOutputSchema>;

import { mcpOutputSchema } from '../../src/engine/mcp/output-schemas.js';
import type { JsonDocument } from './json-document.js';

/** The document that `svc mcp` prints at the end. */
export const MCP_DOCUMENT: JsonDocument = {
  title: 'svc mcp --http',
  introduction:
    'Printed when the server ends, with the reason. Without `--http`, stdout belongs to the protocol and `--json` is refused.',
  schema: mcpOutputSchema,
  example: {
    transport: 'http',
    url: 'http://127.0.0.1:8788/mcp',
    tokenFile: '/home/ada/.svc/mcp-token',
    reason: 'SIGTERM',
    warnings: [],
  },
};

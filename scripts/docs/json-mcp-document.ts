import { mcpOutputSchema } from '../../src/engine/mcp/output-schemas.js';
import { type JsonDocument, WARNINGS } from './json-document.js';

/** What `svc mcp` leaves behind. */
export const MCP_DOCUMENT: JsonDocument = {
  title: 'svc mcp --http',
  introduction:
    'How it ended. Printed then; without `--http` stdout belongs to the protocol, and `--json` is refused.',
  schema: mcpOutputSchema,
  meanings: {
    transport: 'Always `http` in a printed document.',
    url: 'Where it listened.',
    tokenFile: 'Absolute path of the file that keeps the token.',
    reason: 'The signal that ended it; `closed` when the client left.',
    ...WARNINGS,
  },
  example: {
    transport: 'http',
    url: 'http://127.0.0.1:8788/mcp',
    tokenFile: '/home/ada/.svc/mcp-token',
    reason: 'SIGTERM',
    warnings: [],
  },
};

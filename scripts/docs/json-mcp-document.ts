import {
  mcpOutputSchema,
  tokenCreateOutputSchema,
  tokenListOutputSchema,
  tokenRevokeOutputSchema,
} from '../../src/engine/mcp/output-schemas.js';
import type { JsonDocument } from './json-document.js';

/** The document that `svc mcp` prints at the end. */
const MCP_DOCUMENT: JsonDocument = {
  title: 'svc mcp --http',
  introduction:
    'Printed when the server ends, with the reason. Without `--http`, stdout belongs to the protocol and `--json` is refused.',
  schema: mcpOutputSchema,
  example: {
    transport: 'http',
    url: 'http://127.0.0.1:8788/mcp',
    publicUrl: null,
    tokenFile: '/home/ada/.svc/mcp-token',
    auditLog: '/home/ada/.svc/logs/mcp.log',
    reason: 'SIGTERM',
    warnings: [],
  },
};

const TOKEN = {
  name: 'ada-laptop',
  agent: 'main',
  scopes: ['search', 'read'],
  sessionKey: null,
  chatType: null,
  channel: null,
  createdAt: '2026-11-20T09:00:00.000Z',
  expiresAt: '2027-02-18T09:00:00.000Z',
  expired: false,
};

/** The documents of `svc mcp` and its commands. */
export const MCP_DOCUMENTS: readonly JsonDocument[] = [
  MCP_DOCUMENT,
  {
    title: 'svc mcp token create',
    introduction:
      'A new token of a client on another machine; see [mcp.md](mcp.md#remote-clients).',
    schema: tokenCreateOutputSchema,
    example: { ...TOKEN, token: 'svc_mcp_…', warnings: [] },
  },
  {
    title: 'svc mcp token list',
    introduction: 'The tokens of clients on other machines.',
    schema: tokenListOutputSchema,
    example: { file: '/home/ada/.svc/mcp-tokens.json', tokens: [TOKEN], warnings: [] },
  },
  {
    title: 'svc mcp token revoke',
    introduction: 'The token that was revoked.',
    schema: tokenRevokeOutputSchema,
    example: { revoked: TOKEN, warnings: [] },
  },
];

import { scopeTestOutputSchema } from '../../src/engine/scope/output-schemas.js';
import type { JsonDocument } from './json-document.js';

/** The document of `svc memory scope test`. */
export const SCOPE_DOCUMENT: JsonDocument = {
  title: 'svc memory scope test',
  introduction:
    'Whether a conversation is allowed to search memory, and why; see [scope.md](scope.md). Exits with 1 if `allowed` is false.',
  schema: scopeTestOutputSchema,
  example: {
    allowed: true,
    rule: 1,
    why: 'rule 1 matched: allow chatType "direct"',
    session: {
      key: 'agent:main:telegram:direct:42',
      normalizedKey: 'telegram:direct:42',
      agent: 'main',
      chatType: 'direct',
      chatTypeFrom: 'key',
      channel: 'telegram',
      conversation: '42',
    },
    default: 'deny',
    rules: [
      { action: 'allow', match: { chatType: 'direct' }, matches: true },
      { action: 'allow', match: { chatType: 'channel' }, matches: false },
    ],
    citations: { mode: 'auto', cites: true },
    warnings: [],
  },
};

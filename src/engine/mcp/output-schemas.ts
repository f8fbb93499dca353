import * as z from 'zod/mini';
import { type DocumentOf, documentSchema, field } from '../errors/output-schema.js';
import { tokenFields } from './tokens/token-store.js';

/** `svc mcp --http --json`, printed when the server ends. */
export const mcpOutputSchema = documentSchema({
  transport: field(z.literal('http'), 'Always `http`.'),
  url: field.text('Where it listened.'),
  publicUrl: field.textOrNull(
    'What clients on other machines use; `null` if only this machine can connect.',
  ),
  tokenFile: field.textOrNull(
    'Absolute path of the token file for programs on this machine; `null` if others can connect, with named tokens.',
  ),
  auditLog: field.text('Absolute path of the log with one line per call.'),
  reason: field(z.enum(['SIGINT', 'SIGTERM']), 'The signal that ended it.'),
});

export type McpOutput = DocumentOf<typeof mcpOutputSchema>;

const tokenSchema = z.strictObject({
  ...tokenFields,
  expired: field.flag('Whether it has expired.'),
});

/** `svc mcp token create --json`. */
export const tokenCreateOutputSchema = documentSchema({
  ...tokenSchema.shape,
  token: field.text('The token. It is not stored and cannot be shown again.'),
});

export type TokenCreateOutput = DocumentOf<typeof tokenCreateOutputSchema>;

/** `svc mcp token list --json`. */
export const tokenListOutputSchema = documentSchema({
  file: field.text('Absolute path of the file with their hashes.'),
  tokens: field(z.array(tokenSchema), 'All tokens, the oldest first.'),
});

export type TokenListOutput = DocumentOf<typeof tokenListOutputSchema>;

/** `svc mcp token revoke --json`. */
export const tokenRevokeOutputSchema = documentSchema({
  revoked: field(tokenSchema, 'The token that is no longer valid.'),
});

export type TokenRevokeOutput = DocumentOf<typeof tokenRevokeOutputSchema>;

import type { TokenListOutput } from '../../engine/mcp/index.js';
import { formatRelativeTime, formatTimeUntil } from '../../engine/support/format.js';
import { safeLine } from '../safe-text.js';
import type { View } from '../style.js';
import { renderTable } from '../table.js';

type Token = TokenListOutput['tokens'][number];

const COLUMNS = [
  'name',
  'agent',
  'allows',
  { title: 'conversation', dropOrder: 2 },
  { title: 'created', dropOrder: 1 },
  'expires',
];

/** The tokens as a table. */
export function renderTokens(tokens: readonly Token[], view: View): string {
  const { style, nowMs, columns, hintFor } = view;
  if (tokens.length === 0) {
    return hintFor('no tokens: create one with "svc mcp token create NAME"\n');
  }
  const ofServer = style.dim("the server's");
  const rows = tokens.map((token) => {
    const conversation = [token.sessionKey, token.chatType, token.channel];
    return [
      safeLine(token.name),
      safeLine(token.agent ?? '') || ofServer,
      token.scopes.join(', '),
      safeLine(conversation.filter((fact) => fact !== null).join(' ')) || ofServer,
      formatRelativeTime(Date.parse(token.createdAt), nowMs),
      token.expired ? style.fault('expired') : expiryOf(token, nowMs),
    ];
  });
  return renderTable(COLUMNS, rows, { style, columns });
}

/** What to do with a token that was printed. */
export function renderCreatedToken(token: Omit<Token, 'expired'>, nowMs: number): string {
  const expiry = token.expiresAt === null ? 'never expires' : `expires ${expiryOf(token, nowMs)}`;
  return `${[
    `created ${safeLine(token.name)}; ${expiry}`,
    'It is not stored and cannot be shown again. Clients send it in a header:',
    '  Authorization: Bearer TOKEN',
  ].join('\n')}\n`;
}

function expiryOf({ expiresAt }: Pick<Token, 'expiresAt'>, nowMs: number): string {
  return expiresAt === null ? 'never' : formatTimeUntil(Date.parse(expiresAt), nowMs);
}

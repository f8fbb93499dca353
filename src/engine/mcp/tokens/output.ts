import type { TokenOutput } from '../output-schemas.js';
import { isExpired, type McpToken } from './token-store.js';

/** A token as shown: everything but its hash. */
export function tokenOutput({ hash: _, ...token }: McpToken, nowMs: number): TokenOutput {
  return { ...token, expired: isExpired(token, nowMs) };
}

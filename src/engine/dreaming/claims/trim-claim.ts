import { cutAtTokens, estimateTokens } from '../../memory/chunking/tokens.js';

/** A claim of at most so many tokens, cut between words, and marked when it was. */
export function trimClaim(text: string, maxTokens: number): string {
  if (estimateTokens(text) <= maxTokens) return text;
  // One token is left for the mark.
  return `${text.slice(0, cutAtTokens(text, 0, Math.max(1, maxTokens - 1))).trimEnd()}…`;
}

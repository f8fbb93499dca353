import { createHash } from 'node:crypto';
import type { SearchResponse, SearchResult } from '../../memory/search/types.js';
import { stemsOf } from '../claims/claim-words.js';
import { type Claim, splitClaims } from '../claims/split-claims.js';
import { isShortTermPath } from '../scoring/short-term-path.js';
import type { RecalledClaim, RecallLine } from './recall-line.js';

/** Of one result, so many claims count at most: an answer is rarely more. */
const MOST_CLAIMS = 2;

/**
 * What a search recalled from short-term memory: of each result the claims that share most words with
 * the question; where none does (found by meaning alone), its first one. Undefined when nothing counts.
 */
export function recallOf(response: SearchResponse, atMs: number): RecallLine | undefined {
  const asked = stemsOf(response.query);
  const claims = response.results
    .filter(({ source, path }) => isShortTermPath(source, path))
    .flatMap((result) => answering(result, asked));
  if (claims.length === 0) return undefined;
  return { atMs, queryHash: queryHashOf(response.query), claims };
}

/** Names a question without keeping it (facts §7.3). */
export function queryHashOf(query: string): string {
  return createHash('sha1').update(query.trim().toLowerCase()).digest('hex').slice(0, 12);
}

function answering(result: SearchResult, asked: ReadonlySet<string>): RecalledClaim[] {
  const claims = splitClaims(result.snippet, result.snippetLine);
  const shared = claims.map((claim) => sharedWords(claim, asked));
  const most = Math.max(0, ...shared);
  const chosen = claims.filter((_, at) => (most === 0 ? at === 0 : shared[at] === most));
  return chosen.slice(0, MOST_CLAIMS).map(({ text, startLine, endLine }) => {
    const { source, path, score } = result;
    return { text, source, path, startLine, endLine, score };
  });
}

function sharedWords({ text }: Claim, asked: ReadonlySet<string>): number {
  return [...stemsOf(text)].filter((stem) => asked.has(stem)).length;
}

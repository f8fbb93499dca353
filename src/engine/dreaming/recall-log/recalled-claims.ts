import { createHash } from 'node:crypto';
import type { SearchResponse, SearchResult } from '../../memory/search/types.js';
import { claimKeyOf, stemsOf } from '../claims/claim-words.js';
import { splitClaims } from '../claims/split-claims.js';
import { spokenClaims } from '../claims/split-turns.js';
import { isShortTermPath } from '../scoring/short-term-path.js';
import type { RecalledClaim, RecallLine } from './recall-line.js';

/** A question that more claims than this answer alike says nothing of any one of them. */
const MOST_CLAIMS = 3;
/** A claim that has no more than this part of a question's words speaks of something else. */
const HALF = 0.5;
/** A claim with less than this part of the best one's words in common with the question is no answer. */
const NEARLY_BEST = 0.75;

/**
 * What a search recalled from short-term memory: not all that it found, but the claims that answer the
 * question, whichever result they stand in. Undefined when that cannot be told.
 */
export function recallOf(response: SearchResponse, atMs: number): RecallLine | undefined {
  const answers = distinct(answersOf(response));
  const claims = answers.filter(({ source, path }) => isShortTermPath(source, path));
  return claims.length === 0 || answers.length > MOST_CLAIMS
    ? undefined
    : { atMs, queryHash: queryHashOf(response.query), claims };
}

/**
 * By the words that a claim shares with the question. Where none has enough of them, but a passage was found
 * by its meaning, that passage's claims are it.
 */
function answersOf({ query, results }: SearchResponse): RecalledClaim[] {
  const asked = stemsOf(query);
  const found = results.flatMap((result) => claimsOf(result, asked));
  const most = Math.max(0, ...found.map(({ shared }) => shared));
  if (most > asked.size * HALF) {
    return found.filter(({ shared }) => shared >= most * NEARLY_BEST).map(({ claim }) => claim);
  }
  const [best] = results;
  if (best?.vectorScore === undefined) return [];
  return claimsOf(best, asked).map(({ claim }) => claim);
}

/** Names a question without keeping it (facts §7.3). */
export function queryHashOf(query: string): string {
  return createHash('sha1').update(query.trim().toLowerCase()).digest('hex').slice(0, 12);
}

/** The same statement in several notes counts once, where it was found first. */
function distinct(claims: readonly RecalledClaim[]): RecalledClaim[] {
  const byKey = new Map<string, RecalledClaim>();
  for (const claim of claims) {
    const key = claimKeyOf(claim.text);
    if (!byKey.has(key)) byKey.set(key, claim);
  }
  return [...byKey.values()];
}

interface FoundClaim {
  readonly claim: RecalledClaim;
  /** Words in common with the question. */
  readonly shared: number;
}

function claimsOf(result: SearchResult, asked: ReadonlySet<string>): FoundClaim[] {
  return toldIn(result).map((claim) => ({ claim, shared: sharedWords(claim.text, asked) }));
}

/** Where search leaves something out of a snippet: a line of its own between lines, or at the cut of one. */
const GAP = '…';

/** The whole statements of a snippet; what was cut at either end of it is none. */
function toldIn({ source, path, score, ...result }: SearchResult): RecalledClaim[] {
  const { startLine, endLine, snippet, snippetLine } = result;
  // Which of these lines it stands in is found out when it is promoted.
  const somewhere = { source, path, startLine, endLine, score };
  if (source === 'sessions') return spokenClaims(snippet).map((text) => ({ text, ...somewhere }));
  const parts = snippet.split(/^…\n/mu);
  return parts.flatMap((part, position) =>
    splitClaims(part, snippetLine)
      .filter(({ text }) => !text.startsWith(GAP) && !text.endsWith(GAP))
      .map((claim): RecalledClaim => {
        const { text, startLine: from, endLine: to } = claim;
        // Behind a gap nobody knows the lines.
        return position === 0
          ? { text, source, path, startLine: from, endLine: to, score }
          : { text, ...somewhere };
      }),
  );
}

function sharedWords(text: string, asked: ReadonlySet<string>): number {
  const said = [...stemsOf(text)];
  return [...asked].filter((word) => said.some((stem) => areAlike(word, stem))).length;
}

const LEAST_COMMON = 3;
const MOST_ENDING = 3;

/** Stems that are the same, or of one family: "own" and "owner". */
function areAlike(a: string, b: string): boolean {
  if (a === b) return true;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return (
    short.length >= LEAST_COMMON &&
    long.length - short.length <= MOST_ENDING &&
    long.startsWith(short)
  );
}

import { createHash } from 'node:crypto';
import { splitClaims, spokenClaims } from '../../memory/chunking/split-claims.js';
import type { OnRecall } from '../../memory/index.js';
import type { SearchResponse, SearchResult } from '../../memory/search/index.js';
import type { EngineContext } from '../../support/context.js';
import { realPath } from '../../support/files.js';
import { uniqueBy } from '../../support/lists.js';
import { claimKeyOf, stemsOf } from '../claims/claim-words.js';
import { containsSecret } from '../claims/junk.js';
import { dreamWorkspace } from '../dream-workspace.js';
import { isShortTermPath } from '../scoring/recall-entry.js';
import { appendRecall, type RecalledClaim, type RecallLine } from './recall-log.js';

/** If more claims than this answer a question equally well, none of them is special. */
const MOST_CLAIMS = 3;
/** An answer shares more than this share of the question's words. */
const HALF = 0.5;
/** An answer shares at least this many words, relative to the best one. */
const NEARLY_BEST = 0.75;

/**
 * The claims of short-term memory that answer a search: not all it found, but the best matches, whichever
 * result they are in. Undefined if there is no clear answer.
 */
export function recallOf(response: SearchResponse, atMs: number): RecallLine | undefined {
  // A statement found in several notes counts once, in the first.
  const answers = uniqueBy(answersOf(response), ({ text }) => claimKeyOf(text));
  const claims = answers.filter(
    ({ source, path, text }) => isShortTermPath(source, path) && !containsSecret(text),
  );
  return claims.length === 0 || answers.length > MOST_CLAIMS
    ? undefined
    : { atMs, queryHash: queryHashOf(response.query), claims };
}

/**
 * The claims sharing the most words with the question. If none shares enough of them but the best passage
 * was found by vector search, the claims of that passage.
 */
function answersOf({ query, results }: SearchResponse): RecalledClaim[] {
  const queryStems = stemsOf(query);
  const found = results.flatMap((result) => claimsOf(result, queryStems));
  const most = Math.max(0, ...found.map(({ shared }) => shared));
  if (most > queryStems.size * HALF) {
    return found.filter(({ shared }) => shared >= most * NEARLY_BEST).map(({ claim }) => claim);
  }
  const [best] = results;
  if (best?.vectorScore === undefined) return [];
  return claimsOf(best, queryStems).map(({ claim }) => claim);
}

/** Identifies a question without storing it (facts §7.3). */
export function queryHashOf(query: string): string {
  return createHash('sha1').update(query.trim().toLowerCase()).digest('hex').slice(0, 12);
}

/** The claims of a result, with how many words they share with the question. */
function claimsOf(result: SearchResult, queryStems: ReadonlySet<string>) {
  return statementsIn(result).map((claim) => ({
    claim,
    shared: sharedWords(claim.text, queryStems),
  }));
}

/** Search marks omitted text in a snippet with this, on its own line or within one. */
const GAP = '…';

/** The complete statements of a snippet; those cut off at either end are left out. */
function statementsIn({ source, path, score, ...result }: SearchResult): RecalledClaim[] {
  const { startLine, endLine, snippet, snippetLine } = result;
  const origin = result.origin === undefined ? {} : { origin: result.origin };
  // The exact lines are found when the claim is promoted.
  const inResult = { source, path, startLine, endLine, score, ...origin };
  if (source === 'sessions') return spokenClaims(snippet).map((text) => ({ text, ...inResult }));
  const parts = snippet.split(/^…\n/mu);
  return parts.flatMap((part, position) =>
    splitClaims(part, snippetLine)
      .filter(({ text }) => !text.startsWith(GAP) && !text.endsWith(GAP))
      .map(({ text, startLine: from, endLine: to }) => {
        // After a gap the line numbers are unknown.
        const lines = position === 0 ? { startLine: from, endLine: to } : {};
        return { text, ...inResult, ...lines };
      }),
  );
}

function sharedWords(text: string, queryStems: ReadonlySet<string>): number {
  const stems = [...stemsOf(text)];
  return [...queryStems].filter((word) => stems.some((stem) => areRelated(word, stem))).length;
}

const LEAST_COMMON = 3;
const MOST_ENDING = 3;

/** Stems that are equal or related: "own" and "owner". */
function areRelated(a: string, b: string): boolean {
  if (a === b) return true;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return (
    short.length >= LEAST_COMMON &&
    long.length - short.length <= MOST_ENDING &&
    long.startsWith(short)
  );
}

/**
 * Logs the claims a search recalled for the next sweep; those of a shared memory on its server.
 *
 * @throws the system's error if the log cannot be written; SvcError STORAGE_*
 */
export async function logRecall(
  { workspaceDir, response, shared }: Parameters<OnRecall>[0],
  { state, clock, ...context }: Omit<EngineContext, 'cwd' | 'homeDir'>,
): Promise<void> {
  const recall = recallOf(response, clock.now());
  if (recall === undefined) return;
  if (shared !== undefined) {
    const { SharedRecalls } = await import('./shared-recalls.js');
    await (await SharedRecalls.open(shared, context)).append(recall);
    return;
  }
  const { files } = dreamWorkspace(realPath(workspaceDir), state);
  appendRecall(files.recallLog, recall);
}

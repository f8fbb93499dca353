import type { Warning } from '../../errors/index.js';
import type { Tokenizer } from '../index/identity.js';
import type { CandidateFilter, LexicalCandidate, MemoryIndex } from '../index/memory-index.js';
import { type CitationMode, formatCitation } from './citation.js';
import { passagesOf } from './passages.js';
import { type LexicalQuery, matchExpression, parseQuery, relaxed } from './query.js';
import { datesInQuery } from './query-dates.js';
import { type Ranking, rankCandidates } from './rank.js';
import { snippetBudget, snippetOf } from './snippet.js';
import { createTermMatcher, type TermMatcher } from './term-matcher.js';
import type { SearchRequest, SearchResponse, SearchResult } from './types.js';

/** How answers are made, besides what is asked. */
export interface SearchOptions {
  readonly citations: CitationMode;
  /** Characters of a snippet, on average over ten results. */
  readonly snippetChars: number;
  /** How many candidates are ranked for each result asked for (memory search §2.5). */
  readonly candidateMultiplier: number;
  /** When the request names no number. */
  readonly maxResults: number;
  /** When the request names no minimum: `query.minScore` times the share of text in the score. */
  readonly minLexicalScore: number;
  /** What went wrong before the search; goes into the answer. */
  readonly warnings: readonly Warning[];
}

/** Fewer candidates than this leave nothing to rank, however few results are asked for. */
const MIN_CANDIDATES = 24;
const MAX_CANDIDATES = 400;

/** Searches an index as it is. */
export async function searchIndex(
  index: MemoryIndex,
  request: SearchRequest,
  options: SearchOptions,
): Promise<SearchResponse> {
  const started = performance.now();
  const { tokenizer } = await index.identity();
  const query = parseQuery(request.query, tokenizer);
  const maxResults = request.maxResults ?? options.maxResults;
  const minScore = request.minScore ?? options.minLexicalScore;
  const limit = candidateLimit(maxResults, options.candidateMultiplier);
  const filter = await filterOf(request);
  const found =
    query.literal === undefined
      ? await findByWords(index, query, limit, filter, tokenizer, request.query)
      : await findLiterally(index, query.literal, limit, filter);
  const passages = passagesOf(found.ranking.chunks, maxResults);
  const results = passages.map((passage, position): SearchResult => {
    const budget = snippetBudget(position, options.snippetChars);
    const snippet = snippetOf(passage.lines, found.ranking.lineWeights, found.matcher, budget);
    const score = roundScore(found.ranking.scoreOf(passage.rank));
    const { path, source, startLine, endLine, headingPath } = passage;
    return {
      path,
      startLine,
      endLine,
      score,
      snippet: snippet.text,
      snippetLine: snippet.line,
      source,
      headingPath,
      textScore: score,
      ...(options.citations === 'off' ? {} : { citation: formatCitation(path, passage) }),
      highlights: snippet.highlights,
    };
  });
  const kept = results.filter((result) => result.score >= minScore);
  return {
    query: request.query,
    mode: 'lexical',
    backend: 'builtin',
    provider: null,
    model: null,
    results: kept,
    matches: found.matches,
    belowMinScore: results.length - kept.length,
    searchMs: performance.now() - started,
    warnings: [...options.warnings, ...queryWarnings(query)],
  };
}

interface Found {
  readonly ranking: Ranking;
  readonly matcher: TermMatcher;
  readonly matches: number;
}

function candidateLimit(maxResults: number, multiplier: number): number {
  const wanted = Math.max(MIN_CANDIDATES, Math.floor(maxResults * multiplier));
  return Math.min(wanted, Math.max(MAX_CANDIDATES, maxResults));
}

async function filterOf(request: SearchRequest): Promise<CandidateFilter> {
  const path = request.pathGlob === undefined ? undefined : await pathFilter(request.pathGlob);
  return {
    ...(request.sources === undefined ? {} : { sources: request.sources }),
    ...(path === undefined ? {} : { path }),
  };
}

/** Loaded only by those who ask for it: few searches name a pattern. */
async function pathFilter(glob: string): Promise<(path: string) => boolean> {
  const { createPathFilter } = await import('./path-glob.js');
  return createPathFilter(glob);
}

async function findByWords(
  index: MemoryIndex,
  query: LexicalQuery,
  limit: number,
  filter: CandidateFilter,
  tokenizer: Tokenizer,
  text: string,
): Promise<Found> {
  const match = matchExpression(query);
  const candidates = match === undefined ? [] : await index.lexicalCandidates(match, limit, filter);
  // A quotation that nobody wrote down word for word is still a question.
  if (candidates.length === 0 && query.required.length > 0) {
    return findByWords(index, relaxed(query, tokenizer), limit, filter, tokenizer, text);
  }
  const terms = [...query.terms, ...query.required];
  const matcher = createTermMatcher(terms, tokenizer);
  const statistics = await index.termStatistics(terms.map((term) => term.match));
  const ranking = rankCandidates(candidates, statistics, matcher, datesInQuery(text));
  const matches = match === undefined ? 0 : await index.countMatches(match, filter);
  return { ranking, matcher, matches };
}

/** For what holds no word the index could look up: symbols, emoji, two characters with trigrams. */
async function findLiterally(
  index: MemoryIndex,
  literal: string,
  limit: number,
  filter: CandidateFilter,
): Promise<Found> {
  const candidates = await index.literalCandidates(literal, limit, filter);
  const term = { match: `"${literal}"`, stems: [], prefix: false };
  const matcher = createTermMatcher([term], 'trigram');
  const counted = candidates.map((chunk): LexicalCandidate => {
    return { ...chunk, bm25: matcher(chunk.text).hits.length };
  });
  const statistics = { chunks: 1, frequencies: [0] };
  const ranking = rankCandidates(counted, statistics, matcher, undefined);
  return { ranking, matcher, matches: candidates.length };
}

/** Four digits: what lies below is noise, and equal answers should look equal. */
function roundScore(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}

function queryWarnings(query: LexicalQuery): Warning[] {
  const warnings: Warning[] = [];
  if (query.terms.length + query.required.length === 0 && query.literal === undefined) {
    warnings.push({ code: 'QUERY_EMPTY', message: 'the query holds nothing to search for' });
  }
  if (query.shortened) {
    warnings.push({
      code: 'QUERY_SHORTENED',
      message: `the query is long; its first ${query.terms.length} terms were searched for`,
    });
  }
  return warnings;
}

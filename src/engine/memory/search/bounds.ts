/*
 * A SQLite statement cannot be interrupted, and blocks the process while it runs. So the cost of a keyword
 * search is bounded beforehand; see docs/search.md. The unit is one hit of a single word, of which SQLite
 * scores about a million per second.
 */
import { type EssentialTerms, idf, scoreBound, type Tokenizer } from '../index/index.js';
import { type LexicalQuery, matchExpression } from './query.js';
import { sum, type TermStatistics } from './rank.js';
import { type QueryTerm, wordTerm } from './terms.js';

/** About a tenth of a second. */
const MAX_COST = 120_000;
/** Relative cost of a hit of a phrase or a prefix, whose positions have to be collected first. */
const POSITIONS = 5;
/** Matching a phrase costs about as much as this share of all passages. */
const PHRASE_SHARE = 1 / 8;
/** In an index with more passages, short prefixes match too much and take longest. */
const LARGE_INDEX = 20_000;

/** The fewest letters of a prefix: one letter matches far too much, in a large index two do as well. */
export function shortestPrefix(chunks: number): number {
  return chunks > LARGE_INDEX ? 3 : 2;
}

/** Turns prefixes that are too short for a large index into words. */
export function withoutShortPrefixes(query: LexicalQuery, chunks: number): LexicalQuery {
  if (chunks <= LARGE_INDEX) return query;
  const isShort = (term: QueryTerm): boolean =>
    isPrefix(term) && [...prefixOf(term)].length < shortestPrefix(chunks);
  const terms = query.terms.map((term) => (isShort(term) ? wordTerm(prefixOf(term), []) : term));
  return { ...query, terms, shortPrefixes: query.terms.filter(isShort).map(prefixOf) };
}

function isPrefix({ forms }: QueryTerm): boolean {
  return forms.some(({ prefix }) => prefix);
}

function prefixOf({ forms: [form] }: QueryTerm): string {
  return form?.stems[0] ?? '';
}

/**
 * The positions of the terms to search for: the rarest within the cost limit. The others occur in too many
 * passages; they only affect the ranking.
 */
export function selectiveTerms(
  terms: readonly QueryTerm[],
  { chunks, frequencies }: TermStatistics,
  tokenizer: Tokenizer,
): ReadonlySet<number> {
  const rarestFirst = [...terms.entries()]
    .map(([at, term]) => ({ at, term, hits: frequencies[at] ?? 0 }))
    .sort((a, b) => a.hits - b.hits);
  const selective = new Set<number>();
  let spent = 0;
  for (const { at, term, hits } of rarestFirst) {
    if (hits === 0) continue;
    const cost = costOf(term, hits, chunks, tokenizer);
    if (spent > 0 && spent + cost > MAX_COST) continue;
    selective.add(at);
    spent += cost;
  }
  return selective;
}

/** With trigrams, a word is a phrase. */
function costOf(term: QueryTerm, hits: number, chunks: number, tokenizer: Tokenizer): number {
  const isPhrase = tokenizer === 'trigram' || term.forms.some(({ stems }) => stems.length > 1);
  if (isPhrase) return POSITIONS * hits + PHRASE_SHARE * chunks;
  return isPrefix(term) ? POSITIONS * hits : hits;
}

/**
 * The rarest of the selective terms, if passages with one of them are likely to score higher than all others, which
 * then need no score. As in MaxScore (H. Turtle, J. Flood: Query Evaluation, 1995): scoring takes most of the time of a
 * search for common words.
 */
export function essentialTerms(
  query: LexicalQuery,
  { chunks, frequencies }: TermStatistics,
  selective: ReadonlySet<number>,
): EssentialTerms | undefined {
  // Few passages have a required phrase.
  if (query.required.length > 0) return undefined;
  const rarestFirst = query.terms
    .map((term, at) => ({ term, hits: frequencies[at] ?? 0 }))
    .filter((_, at) => selective.has(at))
    .sort((a, b) => a.hits - b.hits);
  const hitsOf = (terms: typeof rarestFirst): number => sum(terms.map(({ hits }) => hits));
  for (const [at, last] of rarestFirst.entries()) {
    const essential = rarestFirst.slice(0, at + 1);
    const others = rarestFirst.slice(at + 1);
    const scoreWithout = sum(others.map(({ hits }) => scoreBound(chunks, hits)));
    const isLikely = idf(chunks, last.hits) > scoreWithout && hitsOf(essential) < hitsOf(others);
    // Each word of a group has a weight of its own.
    const isBound = others.every(({ term }) => !term.match.startsWith('('));
    if (!isLikely || !isBound) continue;
    const match = matchExpression({ ...query, terms: essential.map(({ term }) => term) });
    return match === undefined ? undefined : { match, scoreWithout };
  }
  return undefined;
}

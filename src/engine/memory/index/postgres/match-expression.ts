import { B, idf, K1 } from '../bm25.js';
import { columnOf, type Hits, type TermHits } from './posting-bytes.js';
import { UNIT_WEIGHTS, WEIGHT_UNIT } from './tokenize.js';

/** A full-text expression, as in SQLite. */
export type MatchNode =
  | { readonly type: 'phrase'; readonly text: string; readonly isPrefix: boolean }
  | { readonly type: 'and' | 'or'; readonly parts: readonly MatchNode[] }
  | { readonly type: 'not'; readonly wanted: MatchNode; readonly unwanted: MatchNode };

export type PhraseNode = Extract<MatchNode, { readonly type: 'phrase' }>;

const TOKEN = /\s*(?:"((?:[^"]|"")*)"|(AND|OR|NOT|[()*]))/guy;

/**
 * Parses what matchExpression and the terms of queries are made of: quoted phrases, `*` after a phrase, AND, OR, NOT
 * and parentheses. NOT binds closest, then AND, as in SQLite.
 */
export function parseMatch(match: string): MatchNode {
  const tokens = [...match.matchAll(TOKEN)].map(([, phrase, sign]) => ({
    phrase: phrase?.replaceAll('""', '"'),
    sign,
  }));
  let at = 0;
  const accept = (sign: string): boolean => {
    if (tokens[at]?.sign !== sign) return false;
    at += 1;
    return true;
  };
  const joined = (type: 'and' | 'or', sign: string, part: () => MatchNode): MatchNode => {
    const first = part();
    const parts = [first];
    while (accept(sign)) parts.push(part());
    return parts.length === 1 ? first : { type, parts };
  };
  const either = (): MatchNode => joined('or', 'OR', both);
  const both = (): MatchNode => joined('and', 'AND', without);
  const without = (): MatchNode => {
    let node = single();
    while (accept('NOT')) node = { type: 'not', wanted: node, unwanted: single() };
    return node;
  };
  const single = (): MatchNode => {
    if (accept('(')) {
      const inner = either();
      if (!accept(')')) throw new Error(`a parenthesis is missing in ${match}`);
      return inner;
    }
    const text = tokens[at]?.phrase;
    if (text === undefined) throw new Error(`not a full-text expression: ${match}`);
    at += 1;
    return { type: 'phrase', text, isPrefix: accept('*') };
  };
  const node = either();
  if (at < tokens.length) throw new Error(`not a full-text expression: ${match}`);
  return node;
}

/** The phrases of an expression, in their order. */
export function phrasesOf(node: MatchNode): readonly PhraseNode[] {
  if (node.type === 'phrase') return [node];
  if (node.type === 'not') return [...phrasesOf(node.wanted), ...phrasesOf(node.unwanted)];
  return node.parts.flatMap(phrasesOf);
}

/** The hits of a phrase. */
export type HitsOf = (phrase: PhraseNode) => Hits;

/** What BM25 needs of an index. */
export interface Totals {
  readonly chunks: number;
  /** Words of all chunks. */
  readonly words: number;
  readonly lengthOf: (chunk: number) => number;
}

/** Chunks that an expression matches, by id, with their BM25. */
export interface ScoredChunks {
  readonly ids: Int32Array;
  readonly scores: Float64Array;
}

/** The ids of the chunks that an expression matches, ascending. */
export function matchingIds(node: MatchNode, hitsOf: HitsOf): Int32Array {
  if (node.type === 'phrase') return hitsOf(node).ids;
  if (node.type === 'not') {
    const unwanted = matchingIds(node.unwanted, hitsOf);
    return filterByIds(matchingIds(node.wanted, hitsOf), unwanted, false);
  }
  const [first, ...others] = node.parts.map((part) => matchingIds(part, hitsOf));
  if (first === undefined) return new Int32Array();
  if (node.type === 'and')
    return others.reduce((ids, other) => filterByIds(ids, other, true), first);
  return union([first, ...others]);
}

/**
 * SQLite's bm25() with its sign flipped, in the same order of operations. Each phrase counts as often as the expression
 * has it.
 */
export function scoreMatches(
  node: MatchNode,
  ids: Int32Array,
  hitsOf: HitsOf,
  totals: Totals,
): ScoredChunks {
  const scores = new Float64Array(ids.length);
  const mean = totals.words / totals.chunks;
  const penalties = new Float64Array(ids.length);
  for (let at = 0; at < ids.length; at++) {
    penalties[at] = K1 * (1 - B + (B * totals.lengthOf(ids[at] ?? 0)) / mean);
  }
  for (const phrase of wantedPhrases(node)) {
    const hits = hitsOf(phrase);
    const chunkCount = hits.ids.length;
    const weight = idf(totals.chunks, chunkCount);
    let at = 0;
    for (let hit = 0; hit < chunkCount; hit++) {
      const id = hits.ids[hit] ?? 0;
      while (at < ids.length && (ids[at] ?? 0) < id) at += 1;
      if (at >= ids.length) break;
      if (ids[at] !== id) continue;
      const frequency = (hits.weights[hit] ?? 0) * WEIGHT_UNIT;
      scores[at] =
        (scores[at] ?? 0) + weight * ((frequency * (K1 + 1)) / (frequency + (penalties[at] ?? 0)));
    }
  }
  return { ids, scores };
}

/** The phrases that count: a chunk that matches has none of the excluded ones. */
function wantedPhrases(node: MatchNode): readonly PhraseNode[] {
  if (node.type === 'phrase') return [node];
  return node.type === 'not' ? wantedPhrases(node.wanted) : node.parts.flatMap(wantedPhrases);
}

/** The ids that are among others, or those that are not; both ascending. */
export function filterByIds(ids: Int32Array, others: Int32Array, isWanted: boolean): Int32Array {
  const kept = new Int32Array(ids.length);
  let [count, other] = [0, 0];
  for (const id of ids) {
    while (other < others.length && (others[other] ?? 0) < id) other += 1;
    if ((others[other] === id) === isWanted) kept[count++] = id;
  }
  return kept.subarray(0, count);
}

/** Merges pairs, then pairs of pairs, so that no id is copied more often than necessary. */
function union(lists: readonly Int32Array[]): Int32Array {
  if (lists.length <= 1) return lists[0] ?? new Int32Array();
  const half = Math.floor(lists.length / 2);
  const [a, b] = [union(lists.slice(0, half)), union(lists.slice(half))];
  const merged = new Int32Array(a.length + b.length);
  let [count, left, right] = [0, 0, 0];
  while (left < a.length || right < b.length) {
    const [first, second] = [a[left] ?? LAST, b[right] ?? LAST];
    merged[count++] = Math.min(first, second);
    if (first <= second) left += 1;
    if (second <= first) right += 1;
  }
  return merged.subarray(0, count);
}

const LAST = 2 ** 31;

/** The hits of several terms as those of one, which is any of them. */
export function mergeHits(terms: readonly TermHits[]): TermHits {
  const [only] = terms;
  if (terms.length === 1 && only !== undefined) return only;
  const ids = union(terms.map((term) => term.ids));
  const weights = new Int32Array(ids.length);
  const sources: { readonly term: TermHits; readonly hit: number }[][] = Array.from(ids, () => []);
  for (const term of terms) {
    let at = 0;
    for (const [hit, id] of term.ids.entries()) {
      while ((ids[at] ?? LAST) < id) at += 1;
      weights[at] = (weights[at] ?? 0) + (term.weights[hit] ?? 0);
      sources[at]?.push({ term, hit });
    }
  }
  const placesOf = (at: number): readonly number[] =>
    (sources[at] ?? []).flatMap(({ term, hit }) => term.placesOf?.(hit) ?? []);
  return { ids, weights, placesOf };
}

/** Chunks in which words follow each other in one column. */
export function phraseHits(words: readonly TermHits[]): Hits {
  const [first, ...others] = words;
  if (first === undefined) return { ids: new Int32Array(), weights: new Int32Array() };
  const all = others.reduce((ids, other) => filterByIds(ids, other.ids, true), first.ids);
  const placesIn = [first, ...others].map(placesById);
  const weights = all.map((id) => phraseWeight(placesIn.map((places) => places(id))));
  const has = (_: number, at: number): boolean => (weights[at] ?? 0) > 0;
  return { ids: all.filter(has), weights: weights.filter((weight) => weight > 0) };
}

/** The places of a term in chunks, which must be asked for in ascending order. */
function placesById({ ids, placesOf }: TermHits): (id: number) => readonly number[] {
  let hit = 0;
  return (id) => {
    while ((ids[hit] ?? LAST) < id) hit += 1;
    return placesOf?.(hit) ?? [];
  };
}

/** The weights of the columns where words follow each other. @param places of each word, in a chunk that has all */
function phraseWeight([first = [], ...others]: readonly (readonly number[])[]): number {
  const starts = first.filter((place) =>
    others.every((places, at) => places.includes(place + at + 1)),
  );
  return starts.reduce((sum, place) => sum + (UNIT_WEIGHTS[columnOf(place)] ?? 0), 0);
}

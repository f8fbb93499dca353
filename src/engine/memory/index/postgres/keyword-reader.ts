import type { Sql } from '../../../postgres/index.js';
import { type LengthPage, lengthsOf } from './chunk-lengths.js';
import type { MemoryFacts } from './facts.js';
import {
  type MatchNode,
  matchingIds,
  mergeHits,
  type PhraseNode,
  parseMatch,
  phraseHits,
  phrasesOf,
  type ScoredChunks,
  scoreMatches,
} from './match-expression.js';
import { decodeHits, type Hits, type PostingBytes, type TermHits } from './posting-bytes.js';
import type { WordReader } from './tokenize.js';

interface PreparedExpression {
  readonly node: MatchNode;
  /** The words of each phrase, as they are in the index. */
  readonly phrases: ReadonlyMap<PhraseNode, readonly string[]>;
}

/** What a term is read for; each includes the ones before. */
const NEEDS = ['frequency', 'hits', 'places'] as const;
type Need = (typeof NEEDS)[number];

interface LoadedTerm {
  readonly need: Need;
  readonly chunks: number;
  readonly hits?: TermHits;
}

interface FoundTerm {
  chunks: number;
  readonly parts: PostingBytes[];
}

interface PostingRow {
  readonly isWithin: boolean;
  /** Null for a page of lengths. */
  readonly term: string | null;
  /** The term's frequency, or the number of the page. */
  readonly number: number | null;
  readonly hits: Buffer | null;
  readonly places: Buffer | null;
}

/** Postings in memory, in bytes; with more, they are read again. */
const MOST_BYTES = 64 * 1024 * 1024;
const BYTES_A_HIT = 16;
/** The last code point: the end of a range of terms that begin with something. */
const LAST = '\u{10FFFF}';

export type KeywordReader = ReturnType<typeof createKeywordReader>;

/** Evaluates full-text expressions over the postings of one state of a memory, which it keeps. */
export function createKeywordReader(sql: Sql, words: WordReader, facts: MemoryFacts) {
  const loadedTerms = new Map<string, LoadedTerm>();
  const loadedBeginnings = new Map<string, LoadedTerm>();
  let lengths: Uint16Array | undefined;
  let bytes = 0;
  const lengthOf = (chunk: number): number => lengths?.[chunk] ?? 0;

  function prepare(matches: readonly string[]): readonly PreparedExpression[] {
    const parsed = matches.map((match) => {
      const node = parseMatch(match);
      return { node, phrases: phrasesOf(node) };
    });
    const texts = [...new Set(parsed.flatMap(({ phrases }) => phrases.map(({ text }) => text)))];
    const wordsOf = new Map(
      words.wordsOf(texts).map((found, at) => [texts[at] ?? '', found] as const),
    );
    return parsed.map(({ node, phrases }) => ({
      node,
      phrases: new Map(phrases.map((phrase) => [phrase, wordsOf.get(phrase.text) ?? []])),
    }));
  }

  /** The hits of the phrases of an expression that is loaded. */
  function hitsIn({ phrases }: PreparedExpression): (phrase: PhraseNode) => Hits {
    const known = new Map<PhraseNode, Hits>();
    return (phrase) => {
      const hits = known.get(phrase) ?? hitsOfPhrase(phrases.get(phrase) ?? [], phrase);
      known.set(phrase, hits);
      return hits;
    };
  }

  function hitsOfPhrase(parts: readonly string[], { isPrefix }: PhraseNode): Hits {
    const loaded = parts.map((word, at): TermHits => {
      const isBeginning = isPrefix && at === parts.length - 1;
      return (isBeginning ? loadedBeginnings : loadedTerms).get(word)?.hits ?? NO_HITS;
    });
    const [only = NO_HITS] = loaded;
    return loaded.length < 2 ? only : phraseHits(loaded);
  }

  async function load(wanted: readonly (readonly [PreparedExpression, Need])[]): Promise<void> {
    const { terms, beginnings } = notLoaded(wanted);
    if (terms.size + beginnings.size === 0) return;
    const { named: found, within } = await readRows(terms, beginnings);
    const isGone = (chunk: number): boolean => lengthOf(chunk) === 0;
    for (const [term, need] of terms) {
      const { chunks = 0, parts = [] } = found.get(term) ?? {};
      const hits = need === 'frequency' ? {} : { hits: decodeHits(parts, isGone) };
      loadedTerms.set(term, { need, chunks, ...hits });
      bytes += BYTES_A_HIT * (hits.hits?.ids.length ?? 0);
    }
    for (const [beginning, need] of beginnings) {
      const alike = [...within].filter(([term]) => term.startsWith(beginning));
      const hits = mergeHits(alike.map(([, { parts }]) => decodeHits(parts, isGone)));
      loadedBeginnings.set(beginning, { need, chunks: hits.ids.length, hits });
      bytes += BYTES_A_HIT * hits.ids.length;
    }
  }

  /** What is not loaded yet, with what it is needed for. */
  function notLoaded(wanted: readonly (readonly [PreparedExpression, Need])[]) {
    const terms = new Map<string, Need>();
    const beginnings = new Map<string, Need>();
    const all = wanted.flatMap(([{ phrases }, need]) =>
      [...phrases].flatMap(([phrase, parts]) =>
        parts.map((word, at) => ({
          word,
          isBeginning: phrase.isPrefix && at === parts.length - 1,
          need: parts.length > 1 ? ('places' as const) : need,
        })),
      ),
    );
    for (const { word, isBeginning, need } of all) {
      const [known, missing] = isBeginning ? [loadedBeginnings, beginnings] : [loadedTerms, terms];
      const has = Math.max(rankOf(known.get(word)?.need), rankOf(missing.get(word)));
      if (rankOf(need) > has) missing.set(word, need);
    }
    return { terms, beginnings };
  }

  async function readRows(terms: ReadonlyMap<string, Need>, beginnings: ReadonlyMap<string, Need>) {
    const needs = [...terms.values(), ...beginnings.values()];
    const hasLengths = lengths === undefined && needs.some((need) => need !== 'frequency');
    const { text, values } = postingsQuery(facts.memory, terms, beginnings, hasLengths);
    const rows = await sql.query<PostingRow>(text, values);
    const [named, within] = [new Map<string, FoundTerm>(), new Map<string, FoundTerm>()];
    const pages: LengthPage[] = [];
    for (const { isWithin, term, number, hits, places } of rows) {
      if (term === null) {
        pages.push({ page: number ?? 0, lengths: hits ?? Buffer.alloc(0) });
        continue;
      }
      const found = isWithin ? within : named;
      const known = found.get(term) ?? { chunks: 0, parts: [] };
      known.chunks += number ?? 0;
      if (hits !== null) known.parts.push({ hits, places: places ?? undefined });
      found.set(term, known);
    }
    if (hasLengths) lengths = lengthsOf(pages);
    return { named, within };
  }

  return {
    /** Whether what it keeps is of this state of the memory, and not too much. */
    fits: ({ memory, revision }: MemoryFacts): boolean =>
      memory === facts.memory && revision === facts.revision && bytes <= MOST_BYTES,

    /** In how many chunks each expression is. */
    frequencies: async (matches: readonly string[]): Promise<readonly number[]> => {
      const prepared = prepare(matches);
      // The frequency of a single word is stored.
      await load(prepared.map((one) => [one, isSingleWord(one) ? 'frequency' : 'hits']));
      return prepared.map((one) => {
        if (!isSingleWord(one)) return matchingIds(one.node, hitsIn(one)).length;
        const [[word = ''] = []] = one.phrases.values();
        return loadedTerms.get(word)?.chunks ?? 0;
      });
    },

    /** The ids of the chunks that each expression matches, ascending. */
    matching: async (matches: readonly string[]): Promise<readonly Int32Array[]> => {
      const prepared = prepare(matches);
      await load(prepared.map((one) => [one, 'hits']));
      return prepared.map((one) => matchingIds(one.node, hitsIn(one)));
    },

    /** The same with their BM25. @param kept leaves others out */
    scores: async (match: string, kept: ReadonlySet<number> | undefined): Promise<ScoredChunks> => {
      const [prepared] = prepare([match]);
      if (prepared === undefined) return { ids: new Int32Array(), scores: new Float64Array() };
      await load([[prepared, 'hits']]);
      const hitsOf = hitsIn(prepared);
      const ids = matchingIds(prepared.node, hitsOf).filter((id) => kept?.has(id) ?? true);
      return scoreMatches(prepared.node, ids, hitsOf, { ...facts, lengthOf });
    },
  };
}

/**
 * The newest postings are in `terms`, the others in `postings`. One statement, so one state of the memory; of only
 * what is needed, or the server would expect so much that it starts more processes.
 */
function postingsQuery(
  memory: number,
  terms: ReadonlyMap<string, Need>,
  beginnings: ReadonlyMap<string, Need>,
  hasLengths: boolean,
): { readonly text: string; readonly values: readonly unknown[] } {
  const values: unknown[] = [memory];
  const bound = (value: unknown): string => `$${values.push(value)}`;
  const parts: string[] = [];
  const select = (isWithin: boolean, need: Need, where: string): void => {
    const places = need === 'places' ? 'places' : 'NULL::bytea';
    const hits = need === 'frequency' ? 'NULL::bytea' : 'hits';
    const from = (table: string): string => `FROM svc.${table} WHERE memory = $1 AND ${where}`;
    parts.push(`SELECT ${isWithin}, term, chunks, ${hits}, ${places} ${from('terms')}`);
    if (need === 'frequency') return;
    parts.push(`SELECT ${isWithin}, term, NULL::int, ${hits}, ${places} ${from('postings')}`);
  };
  for (const need of NEEDS) {
    const named = [...terms].flatMap(([term, one]) => (one === need ? [term] : []));
    if (named.length > 0) select(false, need, `term = ANY (${bound(named)})`);
  }
  for (const [first, need] of beginnings) {
    const place = [bound(first), bound(first + LAST)] as const;
    select(true, need, `term >= ${place[0]} AND term < ${place[1]}`);
  }
  if (hasLengths) {
    parts.push(
      'SELECT false, NULL::text, page, lengths, NULL::bytea FROM svc.chunk_lengths WHERE memory = $1',
    );
  }
  const columns = '"isWithin", term, number, hits, places';
  return { text: `SELECT * FROM (${parts.join(' UNION ALL ')}) AS found (${columns})`, values };
}

const NO_HITS: Hits = { ids: new Int32Array(), weights: new Int32Array() };

function rankOf(need: Need | undefined): number {
  return need === undefined ? 0 : 1 + NEEDS.indexOf(need);
}

function isSingleWord({ node, phrases }: PreparedExpression): boolean {
  return node.type === 'phrase' && !node.isPrefix && phrases.get(node)?.length === 1;
}

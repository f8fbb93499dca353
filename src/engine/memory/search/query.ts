import type { Language, Tokenizer } from '../index/index.js';
import { phraseTerm, type QueryReading, type QueryTerm, wordTerms } from './terms.js';
import { STOP_WORDS, straightQuotes } from './words.js';

/** A parsed query. */
export interface LexicalQuery {
  /** Any of these; more and rarer matches rank higher. */
  readonly terms: readonly QueryTerm[];
  /** Quoted phrases, all of which must occur. */
  readonly required: readonly QueryTerm[];
  /** `-word`: none of these may occur. */
  readonly excluded: readonly QueryTerm[];
  /** Text without any searchable word (symbols, emoji, or too short for trigrams). */
  readonly literal: string | undefined;
  /** True when the query was longer than the limits. */
  readonly shortened: boolean;
  /** Prefixes that are too short for the index and are searched as words. */
  readonly shortPrefixes: readonly string[];
  /** Whether nothing in the query names a topic ("what is this about"). */
  readonly onlyStopWords: boolean;
}

/** More terms would cost time without changing the ranking: a pasted page is cut to its first ones. */
const MAX_TERMS = 64;
/** Maximum words in required and in excluded phrases: each costs far more than a single word. */
const MAX_CONSTRAINT_WORDS = 16;
/** Far above any real query; bounds the parsing of a pasted file. */
const MAX_CHARACTERS = 20_000;
/** A longer text without any word is searched by its beginning. */
const MAX_LITERAL = 64;

const PIECE = /(?<minus>-?)"(?<phrase>[^"]*)"|(?<word>\S+)/g;
const EXCLUDED_WORD = /^-\p{L}{2}/u;

/**
 * Parses a query. Words match in any combination; stop words count only if there is nothing else. `"a phrase"` must
 * occur, `-word` must not, `word*` matches prefixes. Nothing else is special: no input is an error.
 *
 * @param hasDate whether the query also asks for a date, and so needs no words
 */
export function parseQuery(
  raw: string,
  tokenizer: Tokenizer,
  {
    hasDate = false,
    languages = [],
  }: { readonly hasDate?: boolean; readonly languages?: readonly Language[] } = {},
): LexicalQuery {
  // As in most documents; SQLite would take NUL for the end of the expression.
  const text = straightQuotes(raw.replaceAll('\0', ' ')).normalize('NFC');
  const reading = { tokenizer, languages };
  const { words, required, excluded } = sortPieces(text.slice(0, MAX_CHARACTERS), reading);
  const stopWords = stopWordsOf(words, languages);
  const topical = words.filter((term) => !isAmong(term, stopWords));
  const nothingElse = topical.length === 0 && required.length === 0 && !hasDate;
  const terms = distinct(nothingElse ? words : topical);
  const onlyStopWords = nothingElse && words.length > 0;
  const searchable = terms.length > 0 || required.length > 0 || hasDate;
  const must = withinWordLimit(distinct(required));
  const mustNot = withinWordLimit(distinct(excluded));
  return {
    terms: terms.slice(0, MAX_TERMS),
    required: must.kept,
    excluded: mustNot.kept,
    literal: searchable || text.trim() === '' ? undefined : text.trim().slice(0, MAX_LITERAL),
    shortened: text.length > MAX_CHARACTERS || terms.length > MAX_TERMS || must.cut || mustNot.cut,
    shortPrefixes: [],
    onlyStopWords,
  };
}

/** The phrases within {@link MAX_CONSTRAINT_WORDS}, in order, and whether anything was left out. */
function withinWordLimit(phrases: readonly QueryTerm[]): { kept: QueryTerm[]; cut: boolean } {
  let words = 0;
  const kept = phrases.filter(({ forms: [form] }) => {
    words += form?.stems.length ?? 0;
    return words <= MAX_CONSTRAINT_WORDS;
  });
  return { kept, cut: kept.length < phrases.length || kept.some(({ isCut }) => isCut === true) };
}

interface SortedTerms {
  readonly words: QueryTerm[];
  readonly required: QueryTerm[];
  readonly excluded: QueryTerm[];
}

function sortPieces(text: string, reading: QueryReading): SortedTerms {
  const sorted: SortedTerms = { words: [], required: [], excluded: [] };
  for (const { groups } of text.matchAll(PIECE)) {
    const word = groups?.['word'] ?? '';
    const negated = groups?.['minus'] === '-' || (word.startsWith('-') && EXCLUDED_WORD.test(word));
    const phrase = groups?.['phrase'] ?? (negated ? word.slice(1) : undefined);
    if (phrase === undefined) {
      sorted.words.push(...wordTerms(word, reading));
      continue;
    }
    const term = phraseTerm(phrase, reading);
    if (term !== undefined) (negated ? sorted.excluded : sorted.required).push(term);
  }
  return sorted;
}

/** The query as one full-text expression; undefined without search terms. */
export function matchExpression(query: LexicalQuery): string | undefined {
  const any = [...query.terms, ...query.required].map((term) => term.match).join(' OR ');
  if (any === '') return undefined;
  const all = query.required.map((term) => `${term.match} AND `).join('');
  const none = query.excluded.map((term) => term.match).join(' OR ');
  const wanted = `${all}(${any})`;
  return none === '' ? wanted : `(${wanted}) NOT (${none})`;
}

/** The same query with phrases optional, for when none occurs verbatim. */
export function withOptionalPhrases(query: LexicalQuery, reading: QueryReading): LexicalQuery {
  const words = query.required.flatMap(({ phrase = '' }) => wordTerms(phrase, reading));
  return { ...query, required: [], terms: distinct([...query.terms, ...words]) };
}

/**
 * The stop words of the language that most of the query's stop words belong to. A single word does not tell its
 * language: `war` and `C++` are no stop words of English.
 */
function stopWordsOf(
  words: readonly QueryTerm[],
  languages: readonly Language[],
): ReadonlySet<string> {
  if (words.length < 2) return STOP_WORDS;
  const lists = [STOP_WORDS, ...languages.map((one) => one.stopWords)];
  const counts = lists.map((list) => words.filter((term) => isAmong(term, list)).length);
  return lists[counts.indexOf(Math.max(...counts))] ?? STOP_WORDS;
}

/** A piece of a word is never a stop word, even if a list contains the empty text, as that of French does. */
function isAmong({ word }: QueryTerm, stopWords: ReadonlySet<string>): boolean {
  return word !== undefined && stopWords.has(word.toLowerCase());
}

function distinct(terms: readonly QueryTerm[]): QueryTerm[] {
  return [...new Map(terms.map((term) => [term.match.toLowerCase(), term])).values()];
}

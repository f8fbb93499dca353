import { isAscii } from '../../support/text.js';
import type { Tokenizer } from '../index/index.js';
import { foldWord, STOP_WORDS, stemOf } from './words.js';

/** What a term looks like in a text. */
export interface TermForm {
  /** The stems of its words, in order. */
  readonly stems: readonly string[];
  /** True for `word*`: the last stem is a prefix. */
  readonly prefix: boolean;
}

/** A search term, for the index and for matching in a text. */
export interface QueryTerm {
  /** A full-text expression: always quoted, so that user input cannot contain operators. */
  readonly match: string;
  /** Any of these is the term. */
  readonly forms: readonly TermForm[];
  /** The word as typed; absent for phrases, prefixes and pieces of a word. */
  readonly word?: string;
}

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
  readonly cutShort: readonly string[];
}

/** More terms would cost time without changing the ranking: a pasted page is cut to its first ones. */
const MAX_TERMS = 64;
/** Maximum words in required and in excluded phrases: each costs far more than a single word. */
const MAX_DEMANDED_WORDS = 16;
/** The same limit in characters, for trigrams. */
const MAX_DEMANDED_CHARACTERS = 128;
/** Far above any real query; bounds the parsing of a pasted file. */
const MAX_CHARACTERS = 20_000;
/** A longer text without any word is searched by its beginning. */
const MAX_LITERAL = 64;
const TRIGRAM = 3;

const PIECE = /(?<minus>-?)"(?<phrase>[^"]*)"|(?<word>\S+)/g;
const EXCLUDED_WORD = /^-\p{L}{2}/u;
const RUN =
  /(?:\p{sc=Han}|\p{sc=Hiragana}|\p{sc=Katakana}|\p{sc=Hangul})+|(?:(?!\p{sc=Han}|\p{sc=Hiragana}|\p{sc=Katakana}|\p{sc=Hangul})[\p{L}\p{N}\p{M}\p{Co}])+/gu;
const CJK_START = /^(?:\p{sc=Han}|\p{sc=Hiragana}|\p{sc=Katakana}|\p{sc=Hangul})/u;

/**
 * Parses a query. Words match in any combination; stop words count only if there is nothing else. `"a
 * phrase"` must occur, `-word` must not, `word*` matches prefixes. Nothing else is special: no input is an
 * error.
 *
 * @param hasDate whether a date is asked for as well, so that no word has to be
 */
export function parseQuery(raw: string, tokenizer: Tokenizer, hasDate = false): LexicalQuery {
  // As in documents; SQLite would take NUL for the end of the expression.
  const text = raw.replaceAll('\0', ' ');
  const { words, required, excluded } = sortPieces(text.slice(0, MAX_CHARACTERS), tokenizer);
  const topical = words.filter((term) => !isStopWord(term));
  const nothingElse = topical.length === 0 && required.length === 0 && !hasDate;
  const terms = distinct(nothingElse ? words : topical);
  const searchable = terms.length > 0 || required.length > 0 || hasDate;
  const must = firstOf(distinct(required));
  const mustNot = firstOf(distinct(excluded));
  return {
    terms: terms.slice(0, MAX_TERMS),
    required: must.kept,
    excluded: mustNot.kept,
    literal: searchable || text.trim() === '' ? undefined : text.trim().slice(0, MAX_LITERAL),
    shortened: text.length > MAX_CHARACTERS || terms.length > MAX_TERMS || must.cut || mustNot.cut,
    cutShort: [],
  };
}

/** As many phrases, in order, as {@link MAX_DEMANDED_WORDS} allows. */
function firstOf(phrases: readonly QueryTerm[]): { kept: QueryTerm[]; cut: boolean } {
  let words = 0;
  const kept = phrases.filter(({ forms: [form] }) => {
    words += form?.stems.length ?? 0;
    return words <= MAX_DEMANDED_WORDS;
  });
  return { kept, cut: kept.length < phrases.length };
}

interface SortedTerms {
  readonly words: QueryTerm[];
  readonly required: QueryTerm[];
  readonly excluded: QueryTerm[];
}

function sortPieces(text: string, tokenizer: Tokenizer): SortedTerms {
  const sorted: SortedTerms = { words: [], required: [], excluded: [] };
  for (const { groups } of text.matchAll(PIECE)) {
    const word = groups?.['word'] ?? '';
    const negated = groups?.['minus'] === '-' || isExcludedWord(word);
    const phrase = groups?.['phrase'] ?? (negated ? word.slice(1) : undefined);
    if (phrase === undefined) {
      sorted.words.push(...wordTerms(word, tokenizer));
      continue;
    }
    const term = phraseTerm(phrase, tokenizer);
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
export function relaxed(query: LexicalQuery, tokenizer: Tokenizer): LexicalQuery {
  const words = query.required.flatMap((term) => wordTerms(unquote(term.match), tokenizer));
  return { ...query, required: [], terms: distinct([...query.terms, ...words]) };
}

function isExcludedWord(word: string): boolean {
  return word.startsWith('-') && EXCLUDED_WORD.test(word);
}

function isCjkRun(run: string): boolean {
  return !isAscii(run) && CJK_START.test(run);
}

const ASCII_RUN = /[a-z0-9]+/gi;

/** The runs of word characters; avoids Unicode tables for ASCII. */
function runsOf(text: string): readonly string[] {
  return text.match(isAscii(text) ? ASCII_RUN : RUN) ?? [];
}

/** A phrase, or the start of a long one, as one term; undefined when it is not searchable. */
function phraseTerm(text: string, tokenizer: Tokenizer): QueryTerm | undefined {
  const runs = runsOf(text);
  if (tokenizer === 'trigram') {
    const characters = [...text.replaceAll('"', ' ').trim()].slice(0, MAX_DEMANDED_CHARACTERS);
    if (characters.length < TRIGRAM) return undefined;
    const match = `"${characters.join('')}"`;
    return { match, forms: [wholeWords(runs.slice(0, MAX_DEMANDED_WORDS))] };
  }
  if (runs.length === 0) return undefined;
  const words = runs
    .flatMap((run) => (isCjkRun(run) ? [...run] : [run]))
    .slice(0, MAX_DEMANDED_WORDS);
  return { match: `"${words.join(' ')}"`, forms: [wholeWords(words)] };
}

function wholeWords(words: readonly string[]): TermForm {
  return { stems: words.map(stemOf), prefix: false };
}

function wordTerms(piece: string, tokenizer: Tokenizer): QueryTerm[] {
  const runs = runsOf(piece);
  return runs.flatMap((run, position) => {
    const prefix = piece.endsWith('*') && position === runs.length - 1;
    if (isCjkRun(run)) return windows(run, tokenizer);
    if (tokenizer === 'trigram' && run.length < TRIGRAM) return [];
    if (!prefix) return [wordTerm(run)];
    if (tokenizer !== 'trigram') return [prefixTerm(run)];
    return [{ match: `"${run}"`, forms: [{ stems: [foldWord(run)], prefix }] }];
  });
}

/** A word in all its forms. */
export function wordTerm(word: string): QueryTerm {
  return { match: `"${word}"`, forms: [wholeWords([word])], word };
}

/** All words that begin with these letters. */
export function prefixTerm(run: string): QueryTerm {
  return { match: prefixMatch(run), forms: [{ stems: [foldWord(run)], prefix: true }] };
}

/** Suffixes that may make the stemmer cut a word shorter than the typed prefix. */
const ENDINGS = ['e', 'ed', 'er', 'ing', 'ment', 'ation', 'ity'];

/**
 * `deploy*` for an index of stems. SQLite stems the prefix too, to "deploi", which does not match "deploy",
 * the stem of "deployment"; and the stem of "organization" is shorter than "organiz". So variants are added
 * that the stemmer cuts elsewhere.
 */
function prefixMatch(run: string): string {
  const beginning = foldWord(run);
  const covered = [stemOf(run)];
  const matches = [`"${run}" *`];
  for (const ending of ENDINGS) {
    const stem = stemOf(beginning + ending);
    if (covered.some((known) => stem.startsWith(known))) continue;
    const isLonger = stem.startsWith(beginning);
    matches.push(`"${beginning}${ending}"${isLonger ? ' *' : ''}`);
    covered.push(stem);
  }
  return matches.length === 1 ? `"${run}" *` : `(${matches.join(' OR ')})`;
}

/**
 * Scripts without spaces are searched by overlapping pieces of a run: pairs of characters (as phrases, see
 * lexical-text.ts), or triples with the trigram tokenizer.
 */
function windows(run: string, tokenizer: Tokenizer): QueryTerm[] {
  const characters = [...run];
  const size = tokenizer === 'trigram' ? TRIGRAM : Math.min(2, characters.length);
  const terms: QueryTerm[] = [];
  for (let start = 0; start + size <= characters.length; start++) {
    const piece = characters.slice(start, start + size);
    const match = tokenizer === 'trigram' ? piece.join('') : piece.join(' ');
    terms.push({ match: `"${match}"`, forms: [wholeWords(piece)] });
  }
  return terms;
}

function isStopWord({ word }: QueryTerm): boolean {
  return word !== undefined && STOP_WORDS.has(word.toLowerCase());
}

function distinct(terms: readonly QueryTerm[]): QueryTerm[] {
  return [...new Map(terms.map((term) => [term.match.toLowerCase(), term])).values()];
}

function unquote(match: string): string {
  return match.replaceAll(/^"|"(?: \*)?$/g, '');
}

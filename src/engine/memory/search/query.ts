import { isAscii } from '../ascii.js';
import type { Tokenizer } from '../index/identity.js';
import { STOP_WORDS } from './stop-words.js';
import { foldWord, stemOf } from './words.js';

/** One thing looked for, as the index takes it and as it is recognised in a text. */
export interface QueryTerm {
  /** A full-text expression: always quoted, so that nothing a person types is an operator. */
  readonly match: string;
  /** Stems that mark the term's places in a text. */
  readonly stems: readonly string[];
  /** True for `word*`: the last stem is only a beginning. */
  readonly prefix: boolean;
}

/** What a person's words ask for. */
export interface LexicalQuery {
  /** Any of these; the more, and the rarer, the better. */
  readonly terms: readonly QueryTerm[];
  /** Quoted phrases: every one of them must occur. */
  readonly required: readonly QueryTerm[];
  /** `-word`: none of these may occur. */
  readonly excluded: readonly QueryTerm[];
  /** Text without any searchable word (symbols, emoji, or too short for trigrams). */
  readonly literal: string | undefined;
  /** True when there were more terms than are searched for. */
  readonly shortened: boolean;
}

/** More terms than this change no ranking but cost time: a pasted page is cut to its first ones. */
const MAX_TERMS = 64;
/** Far above any question; keeps the reading of a pasted file short. */
const MAX_CHARACTERS = 20_000;
/** Longer text without a single word in it is looked for by its beginning. */
const MAX_LITERAL = 64;
const TRIGRAM = 3;

const PIECE = /(?<minus>-?)"(?<phrase>[^"]*)"|(?<word>\S+)/g;
const EXCLUDED_WORD = /^-\p{L}{2}/u;
const RUN =
  /(?:\p{sc=Han}|\p{sc=Hiragana}|\p{sc=Katakana}|\p{sc=Hangul})+|(?:(?!\p{sc=Han}|\p{sc=Hiragana}|\p{sc=Katakana}|\p{sc=Hangul})[\p{L}\p{N}\p{M}\p{Co}])+/gu;
const CJK_START = /^(?:\p{sc=Han}|\p{sc=Hiragana}|\p{sc=Katakana}|\p{sc=Hangul})/u;

/**
 * Reads a question. Words are looked for in any combination; stop words only when there is nothing
 * else. `"a phrase"` must occur, `-word` must not, `word*` matches beginnings. Everything else has
 * no meaning of its own: no text makes an error.
 */
export function parseQuery(raw: string, tokenizer: Tokenizer): LexicalQuery {
  // As in documents; and SQLite would take it for the end of the expression.
  const text = raw.replaceAll('\0', ' ');
  const { words, required, excluded } = sortPieces(text.slice(0, MAX_CHARACTERS), tokenizer);
  const topical = words.filter((term) => !isStopWord(term));
  const nothingElse = topical.length === 0 && required.length === 0;
  const terms = distinct(nothingElse ? words : topical);
  const searchable = terms.length > 0 || required.length > 0;
  return {
    terms: terms.slice(0, MAX_TERMS),
    required: distinct(required).slice(0, MAX_TERMS),
    excluded: distinct(excluded).slice(0, MAX_TERMS),
    literal: searchable || text.trim() === '' ? undefined : text.trim().slice(0, MAX_LITERAL),
    shortened: text.length > MAX_CHARACTERS || terms.length > MAX_TERMS,
  };
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

/** The query as one full-text expression; undefined when it holds nothing to look for. */
export function matchExpression(query: LexicalQuery): string | undefined {
  const any = [...query.terms, ...query.required].map((term) => term.match).join(' OR ');
  if (any === '') return undefined;
  const all = query.required.map((term) => `${term.match} AND `).join('');
  const none = query.excluded.map((term) => term.match).join(' OR ');
  const wanted = `${all}(${any})`;
  return none === '' ? wanted : `(${wanted}) NOT (${none})`;
}

/** The same query with its phrases' demand dropped: for when nothing holds them as they stand. */
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

/** The runs of word characters; the tables of all alphabets are left alone where ASCII will do. */
function runsOf(text: string): readonly string[] {
  return text.match(isAscii(text) ? ASCII_RUN : RUN) ?? [];
}

/** A phrase as one term; undefined when the index could not look for it. */
function phraseTerm(text: string, tokenizer: Tokenizer): QueryTerm | undefined {
  const runs = runsOf(text);
  if (tokenizer === 'trigram') {
    const trimmed = text.replaceAll('"', ' ').trim();
    if ([...trimmed].length < TRIGRAM) return undefined;
    return { match: `"${trimmed}"`, stems: runs.map(stemOf), prefix: false };
  }
  if (runs.length === 0) return undefined;
  const words = runs.flatMap((run) => (isCjkRun(run) ? [...run] : [run]));
  return { match: `"${words.join(' ')}"`, stems: words.map(stemOf), prefix: false };
}

function wordTerms(piece: string, tokenizer: Tokenizer): QueryTerm[] {
  const runs = runsOf(piece);
  return runs.flatMap((run, position) => {
    const prefix = piece.endsWith('*') && position === runs.length - 1;
    if (isCjkRun(run)) return windows(run, tokenizer);
    if (tokenizer === 'trigram' && run.length < TRIGRAM) return [];
    const stem = prefix ? foldWord(run) : stemOf(run);
    const match = prefix && tokenizer !== 'trigram' ? prefixMatch(run) : `"${run}"`;
    return [{ match, stems: [stem], prefix }];
  });
}

/** Endings before which the stemmer may cut a word shorter than what was typed of it. */
const ENDINGS = ['e', 'ed', 'er', 'ing', 'ment', 'ation', 'ity'];

/**
 * `deploy*` for an index of stems. SQLite stems the beginning too, to "deploi", which "deployment",
 * stemmed to "deploy", does not begin with; and the stem of "organization" ends before "organiz"
 * does. So words are added that the stemmer cuts elsewhere.
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
 * Scripts without spaces are looked for by overlapping pieces of a run: pairs of characters (as
 * phrases, see lexical-text.ts), or triples with the trigram tokenizer.
 */
function windows(run: string, tokenizer: Tokenizer): QueryTerm[] {
  const characters = [...run];
  const size = tokenizer === 'trigram' ? TRIGRAM : Math.min(2, characters.length);
  const terms: QueryTerm[] = [];
  for (let start = 0; start + size <= characters.length; start++) {
    const piece = characters.slice(start, start + size);
    const match = tokenizer === 'trigram' ? piece.join('') : piece.join(' ');
    terms.push({ match: `"${match}"`, stems: piece.map(stemOf), prefix: false });
  }
  return terms;
}

function isStopWord(term: QueryTerm): boolean {
  return !term.prefix && STOP_WORDS.has(unquote(term.match).toLowerCase());
}

function distinct(terms: readonly QueryTerm[]): QueryTerm[] {
  return [...new Map(terms.map((term) => [term.match.toLowerCase(), term])).values()];
}

function unquote(match: string): string {
  return match.replaceAll(/^"|"(?: \*)?$/g, '');
}

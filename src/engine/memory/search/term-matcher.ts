import { uniqueBy } from '../../support/lists.js';
import { isAscii } from '../../support/text.js';
import { camelParts, hasCamelCase, type Tokenizer } from '../index/index.js';
import { phraseTerm, type QueryReading, type QueryTerm, type TermForm } from './terms.js';
import {
  foldWord,
  indexedWordsOf,
  isPlain,
  stemOf,
  type TextSpan,
  type Word,
  wordAt,
} from './words.js';

interface TermHit extends TextSpan {
  /** Index of the term in the matcher's list. */
  readonly term: number;
}

export interface TextAnalysis {
  /** In text order; hits may overlap. */
  readonly hits: readonly TermHit[];
  /** False for blank lines, rules and fences. */
  readonly hasWords: boolean;
}

/** Finds query terms in a text as the index would, with their positions. */
export type TermMatcher = (text: string) => TextAnalysis;

export function createTermMatcher(terms: readonly QueryTerm[], tokenizer: Tokenizer): TermMatcher {
  return tokenizer === 'trigram' ? substringMatcher(terms) : wordMatcher(terms);
}

function wordMatcher(terms: readonly QueryTerm[]): TermMatcher {
  const lookup = lookupOf(terms);
  const ascii = plainTextMatcher(terms, lookup);
  const mayMatch = foldedFilter(terms);
  return (text) => {
    if (isPlain(text)) return ascii(text);
    if (mayMatch(text)) return matchAllWords(text, lookup);
    return { hits: [], hasWords: ASCII_WORD.test(text) || hasAnyWord(text) };
  };
}

/** A quick check whether folded text may contain a term, by the same prefixes. */
function foldedFilter(terms: readonly QueryTerm[]): (text: string) => boolean {
  if (formsOf(terms).some(({ stems }) => !isAscii(stems[0] ?? ''))) return () => true;
  const like = new RegExp(`(?<![a-z0-9])(?:${beginningsOf(terms).join('|')})`);
  // The stems of parts of names, and those of words with ß, are not at the beginning of a word.
  return (text) => like.test(foldWord(text)) || hasCamelCase(text) || text.includes('ß');
}

function matchAllWords(text: string, lookup: TermLookup): TextAnalysis {
  const words = indexedWordsOf(text);
  const names = hasCamelCase(text) ? words.map((word) => partsOf(word, text)) : [];
  // The parts of a name are apart from the words around it, so that a phrase can go on after a name.
  const hits = [words, ...names].flatMap((row) => {
    const stemmed = row.map((word) => withStems(word, text, lookup));
    return stemmed.flatMap((_, position) => hitsAt(stemmed, position, lookup));
  });
  return { hits: hits.sort((a, b) => a.start - b.start), hasWords: words.length > 0 };
}

/** The parts of a name in camel case; none of other words. */
function partsOf({ start, end }: Word, text: string): readonly Word[] {
  return placedParts(text.slice(start, end), start).map((part) => wordAt(...part));
}

/** The parts of a name in camel case with their positions, given that of the name; none of other words. */
function placedParts(name: string, at: number): readonly (readonly [string, number])[] {
  let start = at;
  return (camelParts(name) ?? []).map((part) => {
    start += part.length;
    return [part, start - part.length];
  });
}

/** A word of a text with its stem in each language of the query. */
interface StemmedWord extends Word {
  readonly stems: readonly string[];
}

function withStems(word: Word, text: string, { languages }: TermLookup): StemmedWord {
  const typed = languages.length === 0 ? '' : text.slice(word.start, word.end);
  return { ...word, stems: [word.stem, ...languages.map((language) => stemOf(typed, language))] };
}

/**
 * A much faster matcher for {@link isPlain plain} text: only words with a term's prefix are checked. A stem without its last
 * letter is a prefix of every word it stems from.
 */
function plainTextMatcher(terms: readonly QueryTerm[], lookup: TermLookup): TermMatcher {
  const beginnings = beginningsOf(terms).filter(isAscii);
  const like = beginnings.length === 0 ? NOTHING : wordsBeginningWith(beginnings);
  // Where a part of a name may begin.
  const anywhere = beginnings.length === 0 ? NOTHING : new RegExp(beginnings.join('|'), 'i');
  const singleWords = formsOf(terms).every(({ stems }) => stems.length === 1);
  const known = new Map<string, StemmedWord>();
  const wordOnce = (word: string, start: number): StemmedWord => {
    const first = known.get(word) ?? withStems(wordAt(word, 0), word, lookup);
    known.set(word, first);
    return { ...first, start, end: start + word.length };
  };
  const withPartsOnce = (word: string, start: number): StemmedWord[] =>
    [[word, start] as const, ...placedParts(word, start)].map((part) => wordOnce(...part));
  return (text) => {
    const hasParts = anywhere.test(text) && hasCamelCase(text);
    const matches = [...text.matchAll(hasParts ? ASCII_WORDS : like)];
    if (matches.length === 0) return { hits: [], hasWords: ASCII_WORD.test(text) };
    if (!singleWords) return matchAllWords(text, lookup);
    const words = matches.flatMap(({ 0: word, index }) => {
      if (!hasParts) return wordOnce(word, index);
      return anywhere.test(word) ? withPartsOnce(word, index) : [];
    });
    const hits = words.flatMap((word) => hitsAt([word], 0, lookup));
    // A term of one letter begins anything, even a blank line.
    return { hits, hasWords: ASCII_WORD.test(text) };
  };
}

function beginningsOf(terms: readonly QueryTerm[]): string[] {
  return formsOf(terms).map(
    ({ stems, prefix }) => (prefix ? stems[0] : stems[0]?.slice(0, -1)) ?? '',
  );
}

function formsOf(terms: readonly QueryTerm[]): readonly TermForm[] {
  return terms.flatMap(({ forms }) => forms);
}

function wordsBeginningWith(beginnings: readonly string[]): RegExp {
  return new RegExp(`(?<![a-z0-9])(?:${beginnings.join('|')})[a-z0-9]*`, 'gi');
}

const ASCII_WORD = /[a-z0-9]/i;
const ASCII_WORDS = /[a-z0-9]+/gi;
const NOTHING = /(?!)/g;

function hasAnyWord(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

interface NumberedTerm {
  readonly term: number;
  readonly stems: readonly string[];
}

type TermLookup = ReturnType<typeof lookupOf>;

function lookupOf(terms: readonly QueryTerm[]) {
  /** Other than English. */
  const languages = [...new Set(formsOf(terms).flatMap(({ language }) => language ?? []))];
  /** For English and each of the languages. */
  const byFirstStem = [undefined, ...languages].map(() => new Map<string, NumberedTerm[]>());
  const prefixes: NumberedTerm[] = [];
  const forms = terms.flatMap((term, at) => term.forms.map((form) => ({ ...form, term: at })));
  for (const { term, stems, prefix, language } of forms) {
    const [first] = stems;
    // A lone diacritic folds to an empty string, which is everywhere.
    if (first === undefined || first === '') continue;
    const byStem = byFirstStem[language === undefined ? 0 : languages.indexOf(language) + 1];
    if (prefix) prefixes.push({ term, stems });
    else byStem?.set(first, [...(byStem.get(first) ?? []), { term, stems }]);
  }
  return { languages, byFirstStem, prefixes };
}

/** The terms that start at a word: complete, or as a prefix for `word*`. */
function hitsAt(
  words: readonly StemmedWord[],
  position: number,
  { byFirstStem, prefixes }: TermLookup,
): TermHit[] {
  const word = words[position];
  if (word === undefined) return [];
  const hits = new Map<number, TermHit>();
  for (const [reading, byStem] of byFirstStem.entries()) {
    for (const { term, stems } of byStem.get(word.stems[reading] ?? '') ?? []) {
      const isHere = stems.every((stem, at) => words[position + at]?.stems[reading] === stem);
      if (!isHere) continue;
      const last = words[position + stems.length - 1] ?? word;
      hits.set(term, { term, start: word.start, end: last.end });
    }
  }
  for (const { term, stems } of prefixes) {
    if (word.folded.startsWith(stems[0] ?? '\0')) {
      hits.set(term, { term, start: word.start, end: word.end });
    }
  }
  return [...hits.values()];
}

/** With trigrams, a term is any substring, case ignored. */
function substringMatcher(terms: readonly QueryTerm[]): TermMatcher {
  // Without the expression's own quotes: a term may itself be a quotation mark.
  const needles = terms.map((term) => inLowerCase(term.match.slice(1, -1)));
  return (text) => {
    const { composed, placeOf } = composedText(text);
    const folded = inLowerCase(composed);
    const hits: TermHit[] = [];
    for (const [term, needle] of needles.entries()) {
      let start = folded.indexOf(needle);
      while (start !== -1) {
        hits.push({ term, start: placeOf(start), end: placeOf(start + needle.length) });
        start = folded.indexOf(needle, start + needle.length);
      }
    }
    hits.sort((a, b) => a.start - b.start);
    return { hits, hasWords: hasAnyWord(text) };
  };
}

/** Pieces that composing does not join with others: a syllable of Hangul, or a character with its marks. */
const COMPOSED_PIECE = /[\u1100-\u115f][\u1160-\u11a7][\u11a8-\u11ff]?|\P{M}?\p{M}+|\P{M}/gsu;

/** A text with composed characters, as queries and the index have them, and where these are in the text. */
function composedText(text: string) {
  if (text.normalize('NFC') === text) return { composed: text, placeOf: (at: number) => at };
  let composed = '';
  const places: number[] = [];
  for (const { 0: piece, index } of text.matchAll(COMPOSED_PIECE)) {
    const one = piece.normalize('NFC');
    composed += one;
    for (let at = 0; at < one.length; at++) places.push(index + Math.min(at, piece.length));
  }
  return { composed, placeOf: (at: number) => places[at] ?? text.length };
}

/** Of the same length: İ is the only letter whose lower case is longer. */
function inLowerCase(text: string): string {
  return text.replaceAll('İ', 'i').toLowerCase();
}

/** Merges hits into disjoint spans, for highlighting. */
export function mergeSpans(spans: readonly TextSpan[]): TextSpan[] {
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}

/** Finds what search highlighted in a result in another text, in all its forms; each word is a term. */
export function highlightMatcher(
  { snippet, highlights }: { readonly snippet: string; readonly highlights: readonly TextSpan[] },
  reading: QueryReading,
): TermMatcher {
  const texts = highlights.map(({ start, end }) => snippet.slice(start, end));
  const terms = texts.flatMap((text) => phraseTerm(text, reading) ?? []);
  const distinct = uniqueBy(terms, ({ forms: [form] }) => form?.stems.join(' '));
  if (distinct.length > 0) return createTermMatcher(distinct, reading.tokenizer);
  // Symbols are searched for literally.
  return createTermMatcher(
    [...new Set(texts)].map((text) => ({ match: `"${text}"`, forms: [] })),
    'trigram',
  );
}

import { isAscii } from '../../support/text.js';
import { CJK, isCjk } from '../chunking/tokens.js';
import { camelParts, type Language, type MemoryIndex } from '../index/index.js';
import { foldWord, stemOf, WORD } from './words.js';

export type QueryReading = Awaited<ReturnType<typeof readingOf>>;

/** How the words of a query are read in an index: its tokenizer, and languages of its files other than English. */
export async function readingOf(index: MemoryIndex) {
  const { tokenizer } = await index.identity();
  return { tokenizer, languages: tokenizer === 'trigram' ? [] : await index.languages() };
}

/** What a term looks like in a text. */
export interface TermForm {
  /** The stems of its words, in order. */
  readonly stems: readonly string[];
  /** True for `word*`: the last stem is a prefix. */
  readonly prefix: boolean;
  /** The language of the stems; undefined for English. */
  readonly language?: Language | undefined;
}

/** A search term, for the index and for matching in a text. */
export interface QueryTerm {
  /** A full-text expression: always quoted, so that user input cannot contain operators. */
  readonly match: string;
  /** Any of these is the term. */
  readonly forms: readonly TermForm[];
  /** The part of `match` for files of each language, by its code, `''` for English; absent if all are equal. */
  readonly inLanguage?: ReadonlyMap<string, string>;
  /** The word as typed; absent for phrases, prefixes and pieces of a word. */
  readonly word?: string;
  /** The words of a phrase as typed. */
  readonly phrase?: string;
  /** The phrase had more than that. */
  readonly isCut?: boolean;
}

/** Maximum words in a phrase: each costs far more than a single word. */
const MAX_PHRASE_WORDS = 16;
/** The same limit in characters, for trigrams. */
const MAX_PHRASE_CHARACTERS = 128;
const TRIGRAM = 3;

function isCjkRun(run: string): boolean {
  return isCjk(run.codePointAt(0) ?? 0);
}

/** The runs of word characters; avoids Unicode tables for ASCII. */
function runsOf(text: string): readonly string[] {
  if (isAscii(text)) return text.match(/[a-z0-9]+/gi) ?? [];
  const runs = new RegExp(`(?:(?=[${CJK}])${WORD})+|(?:(?![${CJK}])${WORD})+`, 'gu');
  return text.match(runs) ?? [];
}

/** A phrase, or the start of a long one, as one term; undefined when it is not searchable. */
export function phraseTerm(
  text: string,
  { tokenizer, languages }: QueryReading,
): QueryTerm | undefined {
  const runs = runsOf(text);
  if (tokenizer === 'trigram') {
    const characters = [...text.replaceAll('"', ' ').trim()];
    if (characters.length < TRIGRAM) return undefined;
    const phrase = characters.slice(0, MAX_PHRASE_CHARACTERS).join('');
    const forms = [formOf(runs.slice(0, MAX_PHRASE_WORDS))];
    const isCut = characters.length > MAX_PHRASE_CHARACTERS;
    return { match: `"${phrase}"`, forms, phrase, isCut };
  }
  if (runs.length === 0) return undefined;
  const all = runs.flatMap((run) => (isCjkRun(run) ? [...run] : [run]));
  const words = all.slice(0, MAX_PHRASE_WORDS);
  const isCut = words.length < all.length;
  return { ...anyOf([words], languages), phrase: words.join(' '), isCut };
}

/** The terms of a piece of a query between spaces. */
export function wordTerms(piece: string, reading: QueryReading): QueryTerm[] {
  const { tokenizer, languages } = reading;
  const runs = runsOf(piece);
  const words = runs.flatMap((run, position) => {
    const prefix = piece.endsWith('*') && position === runs.length - 1;
    if (isCjkRun(run)) return windows(run, reading);
    if (tokenizer === 'trigram') {
      if (run.length < TRIGRAM) return [];
      const form = prefix ? { stems: [foldWord(run)], prefix } : formOf([run]);
      return [{ match: `"${run}"`, forms: [form], ...(prefix ? {} : { word: run }) }];
    }
    return [prefix ? prefixTerm(run, languages) : wordTerm(run, languages)];
  });
  const whole = tokenizer === 'trigram' ? undefined : nameTerm(piece, runs, languages);
  if (whole === undefined) return words;
  // The numbers of a version say nothing on their own.
  return VERSION.test(whole.phrase ?? '') ? [whole] : [...words, whole];
}

/** A word in all its forms; of a name in camel case, also its parts in a row. */
export function wordTerm(word: string, languages: readonly Language[]): QueryTerm {
  const parts = camelParts(word);
  return { ...anyOf(parts === undefined ? [[word]] : [[word], parts], languages), word };
}

/** A longer piece is no name. */
const LONGEST_NAME = 200;
const VERSION = /^v?\d+(?:\.\d+)+$/i;

/** A name, path, flag or version of several words, such as `--dry-run`, as a whole: its words in a row. */
function nameTerm(
  piece: string,
  runs: readonly string[],
  languages: readonly Language[],
): QueryTerm | undefined {
  if (runs.length < 2 || runs.length > MAX_PHRASE_WORDS || piece.length > LONGEST_NAME) {
    return undefined;
  }
  const name = piece.replaceAll(/^[^\p{L}\p{N}]+|(?<![^\p{L}\p{N}])[^\p{L}\p{N}]+$/gu, '');
  const isName = /^[\p{L}\p{N}]+(?:[-._/\\:@#~+]{1,2}[\p{L}\p{N}]+)+$/u.test(name);
  if (!isName || piece.endsWith('*') || runs.some(isCjkRun)) return undefined;
  if (!VERSION.test(name)) return { ...anyOf([runs], languages), phrase: name };
  const [first = '', ...rest] = runs;
  const number = first.replace(/^v/i, '');
  const versions = [
    [number, ...rest],
    [`v${number}`, ...rest],
  ];
  return { ...anyOf(versions, languages), phrase: name };
}

/** Any of some sequences of words, each in the stems of every language. */
function anyOf(sequences: readonly (readonly string[])[], languages: readonly Language[]) {
  const inLanguage = new Map<string, string>();
  const matches = new Map<string, string>();
  const forms: TermForm[] = [];
  for (const words of sequences) {
    const text = words.join(' ');
    const spoken = languages.filter(({ letters }) => letters.test(text));
    for (const language of [undefined, ...spoken]) {
      const form = formOf(words, language);
      forms.push(form);
      const key = form.stems.join(' ');
      const stemmed = `"${language?.stemText(text) ?? text}"`;
      inLanguage.set(language?.code ?? '', stemmed);
      if (!matches.has(key)) matches.set(key, stemmed);
    }
  }
  const match = either([...matches.values()]);
  return sequences.length === 1 && matches.size > 1
    ? { match, forms, inLanguage }
    : { match, forms };
}

function either(matches: readonly string[]): string {
  return matches.length === 1 ? (matches[0] ?? '') : `(${matches.join(' OR ')})`;
}

function formOf(words: readonly string[], language?: Language): TermForm {
  return { stems: words.map((word) => stemOf(word, language)), prefix: false, language };
}

/** Suffixes that may make the stemmer cut a word shorter than the typed prefix. */
const ENDINGS = ['e', 'ed', 'er', 'ing', 'ment', 'ation', 'ity'];

/**
 * All words that begin with these letters: `deploy*` for an index of stems. SQLite stems the prefix too, to
 * "deploi", which does not match "deploy", the stem of "deployment"; and the stem of "organization" is shorter
 * than "organiz". So variants are added that the stemmer cuts elsewhere.
 */
export function prefixTerm(run: string, languages: readonly Language[]): QueryTerm {
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
  for (const { stemText } of languages) {
    const stem = stemText(run);
    if (stem.length < run.length) matches.push(`"${stem}"`);
  }
  return { match: either(matches), forms: [{ stems: [beginning], prefix: true }] };
}

/**
 * Scripts without spaces are searched by overlapping pieces of a run: pairs of characters (as phrases, see
 * lexical-text.ts), or triples with the trigram tokenizer.
 */
function windows(run: string, { tokenizer }: QueryReading): QueryTerm[] {
  const characters = [...run];
  const size = tokenizer === 'trigram' ? TRIGRAM : Math.min(2, characters.length);
  const terms: QueryTerm[] = [];
  for (let start = 0; start + size <= characters.length; start++) {
    const piece = characters.slice(start, start + size);
    const match = tokenizer === 'trigram' ? piece.join('') : piece.join(' ');
    terms.push({ match: `"${match}"`, forms: [formOf(piece)] });
  }
  return terms;
}

/*
 * The languages other than English that words are stemmed in: Snowball's stemmers, and lists of stop words. Loaded to
 * write an index, and to search one with such files.
 */
import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as finnish } from '@orama/stemmers/finnish';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as norwegian } from '@orama/stemmers/norwegian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { stopwords as danishWords } from '@orama/stopwords/danish';
import { stopwords as dutchWords } from '@orama/stopwords/dutch';
import { stopwords as finnishWords } from '@orama/stopwords/finnish';
import { stopwords as frenchWords } from '@orama/stopwords/french';
import { stopwords as germanWords } from '@orama/stopwords/german';
import { stopwords as italianWords } from '@orama/stopwords/italian';
import { stopwords as norwegianWords } from '@orama/stopwords/norwegian';
import { stopwords as portugueseWords } from '@orama/stopwords/portuguese';
import { stopwords as russianWords } from '@orama/stopwords/russian';
import { stopwords as spanishWords } from '@orama/stopwords/spanish';
import { stopwords as swedishWords } from '@orama/stopwords/swedish';

/** A language that words are stemmed in. */
export interface Language {
  readonly code: string;
  /** Replaces each word of a text by its stem. */
  readonly stemText: (text: string) => string;
  readonly stopWords: ReadonlySet<string>;
  /** Matches a letter of its script. */
  readonly letters: RegExp;
  /** Whether it writes compounds as one word, such as `Stromrechnung`. */
  readonly compounds: boolean;
}

export const WORD = /\p{L}[\p{L}\p{M}]*/gu;
/** Maximum number of cached stems of a language. */
const MOST_STEMS = 50_000;

function language(
  code: string,
  stemmer: (word: string) => string,
  stopWords: readonly string[],
  compounds = false,
): Language {
  const stems = new Map<string, string>();
  const stem = (word: string): string => {
    const known = stems.get(word);
    if (known !== undefined) return known;
    if (stems.size >= MOST_STEMS) stems.clear();
    const result = stemmer(word.normalize('NFC').toLowerCase().replaceAll('ё', 'е'));
    stems.set(word, result);
    return result;
  };
  const stemText = (text: string): string => text.replaceAll(WORD, stem);
  const letters = code === 'ru' ? /\p{sc=Cyrillic}/u : /\p{sc=Latin}/u;
  let stopWordSet: ReadonlySet<string> | undefined;
  return {
    code,
    stemText,
    // A search needs those of one or two languages.
    get stopWords() {
      stopWordSet ??= new Set(stopWords);
      return stopWordSet;
    },
    letters,
    compounds,
  };
}

/** All languages; their positions identify them while a language is detected. */
export const LANGUAGES: readonly Language[] = [
  language('da', danish, danishWords, true),
  language('de', german, germanWords, true),
  language('es', spanish, spanishWords),
  language('fi', finnish, finnishWords, true),
  language('fr', french, frenchWords),
  language('it', italian, italianWords),
  language('nl', dutch, dutchWords, true),
  language('no', norwegian, norwegianWords, true),
  language('pt', portuguese, portugueseWords),
  language('ru', russian, russianWords),
  language('sv', swedish, swedishWords, true),
];

export function languagesOf(codes: readonly string[]): readonly Language[] {
  return LANGUAGES.filter(({ code }) => codes.includes(code));
}

/** @param code null for English */
export function languageByCode(code: string | null): Language | undefined {
  return LANGUAGES.find((language) => language.code === code);
}

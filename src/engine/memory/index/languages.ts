/*
 * The languages other than English that words are stemmed in: Snowball's stemmers, and lists of stop words, by
 * which a language is also detected. Loaded to write an index, and to search one with such files.
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
import { stopwords as englishWords } from '@orama/stopwords/english';
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

const WORD = /\p{L}[\p{L}\p{M}]*/gu;
/** Stems of that many words are remembered while indexing. */
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
    const found = stemmer(word.normalize('NFC').toLowerCase().replaceAll('ё', 'е'));
    stems.set(word, found);
    return found;
  };
  const stemText = (text: string): string => text.replaceAll(WORD, stem);
  const letters = code === 'ru' ? /\p{sc=Cyrillic}/u : /\p{sc=Latin}/u;
  return { code, stemText, stopWords: new Set(stopWords), letters, compounds };
}

const LANGUAGES: readonly Language[] = [
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

const RUSSIAN = LANGUAGES.find(({ code }) => code === 'ru');

export function languagesOf(codes: readonly string[]): readonly Language[] {
  return LANGUAGES.filter(({ code }) => codes.includes(code));
}

/** Enough to recognize English, which most notes are; other texts are read further. */
const FIRST_LOOK = 500;
const SAMPLE = 1500;
/** In running text, a third to a half of the words are stop words; lists and code have fewer. */
const SHARE_OF_STOP_WORDS = 0.12;
/** Different ones: a name that happens to be a stop word may occur often. */
const FEWEST_STOP_WORDS = 3;
/** A text of fewer words needs only two. */
const SHORT_TEXT = 40;
/** Letters of other languages that are written in Cyrillic script. */
const NOT_RUSSIAN = /[іїєґўјљњћђџ]/;

const ENGLISH = new Set<string>(englishWords);

/** For each stop word, the positions of its languages. Those that English shares tell nothing. */
const SPOKEN_IN = new Map<string, readonly number[]>();
for (const [at, { stopWords }] of LANGUAGES.entries()) {
  for (const word of stopWords) {
    if (word.length > 1 && !ENGLISH.has(word))
      SPOKEN_IN.set(word, [...(SPOKEN_IN.get(word) ?? []), at]);
  }
}

/** The language of a text by its stop words and letters; undefined for English and unknown ones. */
export function languageOf(text: string): Language | undefined {
  const first = countStopWords(text.slice(0, FIRST_LOOK));
  const isEnglish = first.english >= FEWEST_STOP_WORDS && first.english > 2 * first.most;
  if (isEnglish || text.length <= FIRST_LOOK) return isEnglish ? undefined : first.language;
  return countStopWords(text.slice(0, SAMPLE)).language;
}

function isCyrillic(word: string): boolean {
  const code = word.charCodeAt(0);
  return code >= 0x04_00 && code < 0x05_00;
}

interface StopWordCount {
  readonly english: number;
  readonly most: number;
  /** The language with the most, if they are enough. */
  readonly language: Language | undefined;
}

function countStopWords(text: string): StopWordCount {
  const words = text.toLowerCase().match(WORD) ?? [];
  const counts = LANGUAGES.map(() => 0);
  const found = new Set<string>();
  let [english, cyrillic] = [0, 0];
  for (const word of words) {
    if (isCyrillic(word)) cyrillic += 1;
    if (ENGLISH.has(word)) english += 1;
    const languages = SPOKEN_IN.get(word);
    if (languages === undefined) continue;
    found.add(word);
    for (const at of languages) counts[at] = (counts[at] ?? 0) + 1;
  }
  const most = Math.max(...counts);
  if (cyrillic > words.length / 2) {
    return { english, most, language: NOT_RUSSIAN.test(text) ? undefined : RUSSIAN };
  }
  const best = counts.indexOf(most);
  const fewest = words.length < SHORT_TEXT ? FEWEST_STOP_WORDS - 1 : FEWEST_STOP_WORDS;
  const isEnough =
    most > english &&
    most >= words.length * SHARE_OF_STOP_WORDS &&
    [...found].filter((word) => LANGUAGES[best]?.stopWords.has(word) === true).length >= fewest;
  return { english, most, language: isEnough ? LANGUAGES[best] : undefined };
}

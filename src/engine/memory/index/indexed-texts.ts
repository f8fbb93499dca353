import { stopwords as englishWords } from '@orama/stopwords/english';
import type { DocumentKey } from '../types.js';
import { daysOfChunk } from './chunk-days.js';
import { contentHash, mediaContentHash } from './content-hash.js';
import type { IndexedDocument } from './documents.js';
import type { Tokenizer } from './identity.js';
import { LANGUAGES, type Language, WORD } from './languages.js';
import { fileNameWords, HEADING_SEPARATOR, lexicalText, lineNumbersText } from './lexical-text.js';
import { wordParts } from './word-parts.js';

/** The full-text columns of a chunk. */
export type ColumnTexts = readonly [
  text: string,
  headingPath: string,
  parts: string,
  fileName: string,
];

/** The full-text columns of a chunk of a document. */
export function columnTexts(
  { text, headings }: { readonly text: string; readonly headings: string },
  document: DocumentKey,
  tokenizer: Tokenizer,
  language: Language | undefined,
): ColumnTexts {
  return [
    lexicalText(text, tokenizer, language),
    lexicalText(headings, tokenizer, language),
    tokenizer === 'trigram' ? '' : wordParts(text, language),
    lexicalText(fileNameWords(document), tokenizer),
  ];
}

/** The columns of a chunk that an index stores. */
export type IndexedChunk = ReturnType<typeof chunkRows> extends Iterable<infer Row> ? Row : never;

/** The columns of a document's chunks. @param hashesTexts false leaves out the hashes of texts, not of media */
export function* chunkRows(document: IndexedDocument, hashesTexts: boolean) {
  const { mimeType, hash: fileHash } = document;
  // Media are embedded by content, not by the words they are found by.
  const media = mimeType === undefined ? undefined : mediaContentHash(mimeType, fileHash);
  for (const { startLine, endLine, headingPath, text, lineNumbers } of document.chunks) {
    const headings = headingPath.join(HEADING_SEPARATOR);
    const days = daysOfChunk(document, { headingPath, text });
    yield {
      startLine,
      endLine,
      headings,
      text,
      hash: media ?? (hashesTexts ? contentHash(headings, text) : null),
      firstDay: days?.first ?? null,
      lastDay: days?.last ?? null,
      lineNumbers: lineNumbers === undefined ? null : lineNumbersText(lineNumbers),
    };
  }
}

/** The language that the words of a new document are stemmed in. */
export function documentLanguage(
  document: IndexedDocument,
  tokenizer: Tokenizer,
): Language | undefined {
  return tokenizer === 'trigram' ? undefined : languageOf(beginningOf(document));
}

function beginningOf({ chunks }: IndexedDocument): string {
  let text = '';
  for (const chunk of chunks) {
    text += `${chunk.text}\n`;
    if (text.length >= SAMPLE) break;
  }
  return text;
}

/** Enough to recognize English, which most notes are; other texts are read further. */
const FIRST_LOOK = 500;
/** More is not needed to detect a language. */
const SAMPLE = 1500;
/** In running text, a third to a half of the words are stop words; lists and code have fewer. */
const SHARE_OF_STOP_WORDS = 0.12;
/** Different ones: a name that happens to be a stop word may occur often. */
const FEWEST_STOP_WORDS = 3;
/** A text of fewer words needs only two. */
const SHORT_TEXT = 40;
/** Letters of other languages that are written in Cyrillic script. */
const NOT_RUSSIAN = /[іїєґўјљњћђџ]/;

const RUSSIAN = LANGUAGES.find(({ code }) => code === 'ru');

const ENGLISH = new Set<string>(englishWords);

/** For each stop word that is not English too, the positions of its languages. */
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

function countStopWords(text: string) {
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

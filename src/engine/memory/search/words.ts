import { stemmer } from 'stemmer';
import { CJK } from '../chunking/tokens.js';
import type { Language } from '../index/index.js';

/** A range of a string in UTF-16 units, end excluded. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** A word in comparable form. */
export interface Word extends TextSpan {
  /** Lower case, without diacritics. */
  readonly folded: string;
  /** The same, stemmed. */
  readonly stem: string;
}

/** The index tokenizer's word characters: letters, numbers, private use; marks are dropped by folding. */
export const WORD = '[\\p{L}\\p{N}\\p{M}\\p{Co}]';

/**
 * Words, with most CJK characters on their own. Never change it: stored keys of claims are made of these words. A
 * function, like other patterns with Unicode tables here, because V8 takes a tenth of a millisecond for each at start.
 */
const wordPattern = (): RegExp =>
  /\p{sc=Han}|\p{sc=Hiragana}|\p{sc=Katakana}|[\p{L}\p{N}\p{M}\p{Co}]+/gu;
/** The stemmer changes no other words. */
const MAY_HAVE_ENDING = /[a-z]$/;

const PLAIN =
  /^[\0-\x7f\xa0-\xa9\xab-\xb1\xb4\xb6-\xb8\xbb\xbf\xd7\xf7\u2010-\u205e\u2190-\u23ff\u2500-\u2775\u2794-\u2bff\u{1f300}-\u{1f6ff}\u{1f900}-\u{1faff}]*$/u;

/** Whether a text is ASCII apart from common symbols and emoji, which are not part of words: most texts are. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

/** The words of a text with their positions, in order. */
export function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  for (const match of text.matchAll(wordPattern())) words.push(wordAt(match[0], match.index));
  return words;
}

/** The words into which the index divides a text: each CJK character is one, also next to letters of other scripts. */
export function indexedWordsOf(text: string): Word[] {
  const words = new RegExp(`(?=[${CJK}])${WORD}|(?:(?![${CJK}])${WORD})+`, 'gu');
  return [...text.matchAll(words)].map((match) => wordAt(match[0], match.index));
}

/** Only the folded words: several times as fast. */
export function foldedWordsOf(text: string): string[] {
  return (text.match(wordPattern()) ?? []).map(foldWord);
}

export function countWords(text: string): number {
  return text.match(wordPattern())?.length ?? 0;
}

export function wordAt(word: string, start: number): Word {
  const folded = foldWord(word);
  return { folded, stem: stemOfFolded(folded), start, end: start + word.length };
}

/** A word folded and Porter-stemmed as in the index, where words of other languages are stemmed before. */
export function stemOf(word: string, language?: Language): string {
  return stemOfFolded(foldWord(language === undefined ? word : language.stemText(word)));
}

function stemOfFolded(folded: string): string {
  return MAY_HAVE_ENDING.test(folded) ? stemmer(folded) : folded;
}

/** Lower case without diacritics. */
export function foldWord(word: string): string {
  if (isPlain(word)) return word.toLowerCase();
  return word
    .normalize('NFD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase();
}

/**
 * English words without a topic. They are ignored in queries unless there are no others; see
 * docs/search-quality.md for other lists.
 */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about an and are as at be been being but by can could d did do does doing don for from had has
  have having he her hers him his how i if in into is isn it its ll m me my of on or our ours re s she
  should so some t than that the their theirs them then there these they this those to too us ve was
  wasn we were what when where which who whom whose why will with would you your yours didn doesn`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/** Replaces typographic quotes, as chats and word processors write them, by `"`; no character changes its position. */
export function straightQuotes(query: string): string {
  return query.replaceAll(/[“”„]/gu, '"');
}

import { stemmer } from 'stemmer';
import type { TextSpan } from './types.js';

/** A word of a text, in the form that words are compared in. */
export interface Word extends TextSpan {
  /** Lower case, without diacritics. */
  readonly folded: string;
  /** The same, stemmed. */
  readonly stem: string;
}

// The characters that the index's tokenizer takes for parts of words (unicode61: letters, numbers,
// private use; marks are dropped by folding), and no CJK run longer than a character.
const WORD = /\p{sc=Han}|\p{sc=Hiragana}|\p{sc=Katakana}|[\p{L}\p{N}\p{M}\p{Co}]+/gu;
const MARKS = /\p{M}+/gu;
const ASCII_WORD = /^[a-z]+$/;
const ASCII = /^\p{ASCII}*$/u;

/** The words of a text with their places, in order. */
export function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  for (const match of text.matchAll(WORD)) words.push(wordAt(match[0], match.index));
  return words;
}

/** The same as they are compared, without their places and stems: several times as fast. */
export function foldedWordsOf(text: string): string[] {
  return (text.match(WORD) ?? []).map(foldWord);
}

/** How many words a text has. */
export function countWords(text: string): number {
  return text.match(WORD)?.length ?? 0;
}

/** A word that stands at `start`. */
export function wordAt(word: string, start: number): Word {
  const folded = foldWord(word);
  return { folded, stem: stemOfFolded(folded), start, end: start + word.length };
}

/** What a word is compared by: the index's own folding and Porter stemming. */
export function stemOf(word: string): string {
  return stemOfFolded(foldWord(word));
}

function stemOfFolded(folded: string): string {
  return ASCII_WORD.test(folded) ? stemmer(folded) : folded;
}

/** Lower case without diacritics. */
export function foldWord(word: string): string {
  if (ASCII.test(word)) return word.toLowerCase();
  return word.normalize('NFD').replaceAll(MARKS, '').toLowerCase();
}

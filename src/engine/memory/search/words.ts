import { stemmer } from 'stemmer';
import type { TextSpan } from './types.js';

/** A word of a text, in the form that words are compared in. */
export interface Word extends TextSpan {
  /** Folded (lower case, no diacritics) and stemmed. */
  readonly stem: string;
}

// The characters that the index's tokenizer takes for parts of words (unicode61: letters, numbers,
// private use; marks are dropped by folding), and no CJK run longer than a character.
const WORD = /\p{sc=Han}|\p{sc=Hiragana}|\p{sc=Katakana}|[\p{L}\p{N}\p{M}\p{Co}]+/gu;
const MARKS = /\p{M}+/gu;
const ASCII_WORD = /^[a-z]+$/;

/** The words of a text with their places, in order. */
export function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  for (const match of text.matchAll(WORD)) {
    const [word] = match;
    words.push({ stem: stemOf(word), start: match.index, end: match.index + word.length });
  }
  return words;
}

/** What a word is compared by: the index's own folding and Porter stemming. */
export function stemOf(word: string): string {
  const folded = foldWord(word);
  return ASCII_WORD.test(folded) ? stemmer(folded) : folded;
}

/** Lower case without diacritics. */
export function foldWord(word: string): string {
  return word.normalize('NFD').replaceAll(MARKS, '').toLowerCase();
}

import { hash } from 'node:crypto';
import { lineAt, type TextLines } from '../sources/text-lines.js';

/** 132 bits: two different lines never meet. */
const HASH_CHARS = 22;

/** What may change about a line without making it another: list marks, quotes, headings, blanks. */
const MARKS = /^[\s>#*+-]+/u;
const BLANKS = /\s+/gu;

/**
 * Names a line's words, with a salt of the list it stands in, so that the same line has another name
 * elsewhere.
 */
export function lineHash(salt: string, words: string): string {
  return hash('sha256', `${salt}\0${words}`, 'base64url').slice(0, HASH_CHARS);
}

/** The words of a line as they are compared; empty for one that says nothing. */
export function wordsOf(line: string): string {
  return line.replace(MARKS, '').replaceAll(BLANKS, ' ').trimEnd().normalize('NFC');
}

/** A line that says something. */
export interface SpokenLine {
  /** Counted from 0. */
  readonly at: number;
  readonly hash: string;
  /** Length of its words in bytes of UTF-8. */
  readonly bytes: number;
}

/** The lines of a text that say something, in order. */
export function spokenLines(salt: string, lines: TextLines): SpokenLine[] {
  const spoken: SpokenLine[] = [];
  for (let at = 0; at < lines.count; at++) {
    const words = wordsOf(lineAt(lines, at));
    if (words === '') continue;
    spoken.push({ at, hash: lineHash(salt, words), bytes: Buffer.byteLength(words) });
  }
  return spoken;
}

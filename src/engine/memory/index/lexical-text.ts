import { isCjk } from '../chunking/tokens.js';
import type { DocumentKey } from '../types.js';
import type { Tokenizer } from './identity.js';
import { HEADING_SEPARATOR } from './schema.js';

const MAYBE_CJK = /[\u2e80-\uffef]|[\ud840-\ud8bf]/;

/**
 * A text as the full-text index gets it. `unicode61` takes a run of Han or kana for one word, so
 * each of those characters is set apart: a query's run then matches as a phrase of them. `trigram`
 * needs no help.
 */
export function lexicalText(text: string, tokenizer: Tokenizer): string {
  if (tokenizer === 'trigram' || !MAYBE_CJK.test(text)) return text;
  let spaced = '';
  for (const character of text) {
    spaced += isCjk(character.codePointAt(0) ?? 0) ? ` ${character} ` : character;
  }
  return spaced;
}

/**
 * A document's file name as words: no extension, and what people join words with made blank. None for
 * a transcript: nobody named it, and every passage of it would hold the words of its folder.
 */
export function fileNameWords({ source, path }: DocumentKey): string {
  if (source === 'sessions') return '';
  return path.replace(/\.md$/i, '').replaceAll(/[/_.-]+/g, ' ');
}

/** A heading path as its column holds it. */
export function headingPathOf(column: string): string[] {
  return column === '' ? [] : column.split(HEADING_SEPARATOR);
}

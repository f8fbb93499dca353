import { isCjk } from '../chunking/tokens.js';
import type { DocumentKey } from '../types.js';
import type { Tokenizer } from './identity.js';
import type { Language } from './languages.js';

/** SQLite's full-text tokenizers, which also define the words of an index in PostgreSQL. */
export const FULL_TEXT_TOKENIZERS: Readonly<Record<Tokenizer, string>> = {
  trigram: 'trigram case_sensitive 0 remove_diacritics 1',
  unicode61: 'porter unicode61 remove_diacritics 2',
};

/** BM25 weights of the full-text columns. */
export const COLUMN_WEIGHTS = { text: 1, heading_path: 1.5, parts: 0.5, file_name: 1 } as const;

/** Joins a heading path in its column; Markdown headings contain no line breaks. */
export const HEADING_SEPARATOR = '\n';

const MAYBE_CJK = /[\u2e80-\uffef]|[\ud840-\ud8bf]/;

/**
 * A text as it goes into the full-text index: words are stemmed in the language of the file, unless that is
 * English, which SQLite does. `unicode61` treats a run of Han or kana as one word, so those characters are
 * separated; a query's run then matches as a phrase. `trigram` compares characters, so decomposed
 * ones are composed, as in queries.
 */
export function lexicalText(text: string, tokenizer: Tokenizer, language?: Language): string {
  if (tokenizer === 'trigram') return text.normalize('NFC');
  const stemmed = language === undefined ? text : language.stemText(text);
  if (!MAYBE_CJK.test(stemmed)) return stemmed;
  let spaced = '';
  for (const character of stemmed) {
    spaced += isCjk(character.codePointAt(0) ?? 0) ? ` ${character} ` : character;
  }
  return spaced;
}

/**
 * A file name as words, without extension and separators. Empty for a transcript: nobody chose its name, and
 * its folder's words would match every passage.
 */
export function fileNameWords({ source, path }: DocumentKey): string {
  if (source === 'sessions') return '';
  return path.replace(/\.md$/i, '').replaceAll(/[/_.-]+/g, ' ');
}

/** Parses the heading path column. */
export function headingPathOf(column: string): string[] {
  return column === '' ? [] : column.split(HEADING_SEPARATOR);
}

/*
 * The line numbers of a chunk as text: the first, then the differences, separated by commas. Differences are
 * small and mostly equal.
 */

export function lineNumbersText(numbers: readonly number[]): string {
  return numbers.map((number, at) => number - (numbers[at - 1] ?? 0)).join(',');
}

/** Parses {@link lineNumbersText}; undefined for null, when lines are consecutive. */
export function lineNumbersOf(text: string | null): readonly number[] | undefined {
  if (text === null) return undefined;
  let number = 0;
  return text.split(',').map((step) => {
    number += Number(step);
    return number;
  });
}

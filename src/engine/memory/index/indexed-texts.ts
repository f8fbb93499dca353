import type { DocumentKey } from '../types.js';
import { languageOf } from './detect-language.js';
import type { IndexedDocument } from './documents.js';
import type { Tokenizer } from './identity.js';
import type { Language } from './languages.js';
import { fileNameWords, lexicalText } from './lexical-text.js';
import { wordParts } from './word-parts.js';

/** The columns `text`, `heading_path` and `parts` of a chunk. */
export function indexedTexts(
  { text, headings }: { readonly text: string; readonly headings: string },
  tokenizer: Tokenizer,
  language: Language | undefined,
): readonly [text: string, headingPath: string, parts: string] {
  return [
    lexicalText(text, tokenizer, language),
    lexicalText(headings, tokenizer, language),
    tokenizer === 'trigram' ? '' : wordParts(text, language),
  ];
}

/** The column `file_name` of all chunks of a document. */
export function indexedFileName(key: DocumentKey, tokenizer: Tokenizer): string {
  return lexicalText(fileNameWords(key), tokenizer);
}

/** The language that the words of a new document are stemmed in. */
export function documentLanguage(
  document: IndexedDocument,
  tokenizer: Tokenizer,
): Language | undefined {
  return tokenizer === 'trigram' ? undefined : languageOf(beginningOf(document));
}

/** More is not needed to detect a language. */
const BEGINNING = 1500;

function beginningOf({ chunks }: IndexedDocument): string {
  let text = '';
  for (const chunk of chunks) {
    text += `${chunk.text}\n`;
    if (text.length >= BEGINNING) break;
  }
  return text;
}

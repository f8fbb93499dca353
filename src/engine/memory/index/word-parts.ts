import type { Language } from './languages.js';

/** Where a name in camel case is divided: `get|User|Name`, `HTTP|Server`. */
const BOUNDARY = /(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})/g;
const CAMEL_CASE = /[a-z\d][A-Z]|[A-Z]{2}[a-z]{2}/;
const CHANGES_OF_CASE = /[a-z\d][A-Z]|[A-Z]{2}[a-z]{2}/g;
/** A longer run is an encoded value, not a name. */
const LONGEST_NAME = 40;

/** Whether a text may contain a name in camel case. */
export function hasCamelCase(text: string): boolean {
  return CAMEL_CASE.test(text);
}

/**
 * The parts of the names in camel case of a text, with a space before each. Few words are such names, so only words
 * with a change of case are read, and by character codes, which takes half as long.
 */
function partsOfNames(text: string): string {
  let parts = '';
  let end = 0;
  CHANGES_OF_CASE.lastIndex = 0;
  for (let change = CHANGES_OF_CASE.exec(text); change !== null; ) {
    let start = change.index;
    while (start > end && isWordCode(text.charCodeAt(start - 1))) start -= 1;
    end = change.index + 1;
    while (isWordCode(text.charCodeAt(end))) end += 1;
    if (end - start <= LONGEST_NAME) parts += ` ${text.slice(start, end).replace(BOUNDARY, ' ')}`;
    CHANGES_OF_CASE.lastIndex = end;
    change = CHANGES_OF_CASE.exec(text);
  }
  return parts;
}

/** Whether a character is an ASCII letter or digit. */
function isWordCode(code: number): boolean {
  if (code >= 97) return code <= 122;
  return code >= 65 ? code <= 90 : code >= 48 && code <= 57;
}

/** The parts of a name in camel case; undefined for other words. */
export function camelParts(name: string): readonly string[] | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  const parts = name.split(BOUNDARY);
  return parts.length === 1 ? undefined : parts;
}

/**
 * Marks a word that is written backwards, which finds compounds by their last part. The characters are for
 * private use, so that no query contains them by chance, and SQLite's stemmer leaves such words alone.
 */
const BACKWARDS = '\uE000';
const LONG_WORD = /\p{L}{8,40}/gu;

/** A word as it is among the {@link wordParts} of a compound. */
export function backwards(word: string): string {
  return BACKWARDS + [...word].reverse().join('');
}

/** The word of a {@link backwards} entry of the index. */
export function forwards(entry: string): string {
  return [...entry.replaceAll(BACKWARDS, '')].reverse().join('');
}

/** Index entries besides the words of a text: parts of names, and in some languages compounds, backwards. */
export function wordParts(text: string, language: Language | undefined): string {
  const parts = partsOfNames(text);
  if (language?.compounds !== true) return parts;
  const long = text.normalize('NFC').toLowerCase().match(LONG_WORD) ?? [];
  return [parts, ...[...new Set(long)].map((word) => backwards(word) + BACKWARDS)].join(' ');
}

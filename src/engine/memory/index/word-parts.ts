import type { Language } from './languages.js';

/** Where a name in camel case is divided: `get|User|Name`, `HTTP|Server`. */
const BOUNDARY = /(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})/g;
const CAMEL_CASE = /[a-z\d][A-Z]|[A-Z]{2}[a-z]{2}/;
const CHANGES_OF_CASE = /[a-z\d][A-Z]|[A-Z]{2}[a-z]{2}/g;
const WORD_CHARACTER = /[A-Za-z\d]/;
/** A longer run is an encoded value, not a name. */
const LONGEST_NAME = 40;

/** Whether a text may contain a name in camel case. */
export function hasCamelCase(text: string): boolean {
  return CAMEL_CASE.test(text);
}

/** The names in camel case of a text. Most words are none, so only where one changes case is looked at closely. */
function camelNames(text: string): readonly string[] {
  const names: string[] = [];
  let end = 0;
  for (const { index } of text.matchAll(CHANGES_OF_CASE)) {
    if (index < end) continue;
    let start = index;
    while (start > end && WORD_CHARACTER.test(text.charAt(start - 1))) start -= 1;
    end = index + 1;
    while (WORD_CHARACTER.test(text.charAt(end))) end += 1;
    names.push(text.slice(start, end));
  }
  return names;
}

/** The parts of a name in camel case; undefined for other words. */
export function camelParts(name: string): readonly string[] | undefined {
  if (name.length > LONGEST_NAME || !CAMEL_CASE.test(name)) return undefined;
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

/** What a text is found by beside its words: parts of names, and in some languages compounds, backwards. */
export function wordParts(text: string, language: Language | undefined): string {
  const parts = camelNames(text).flatMap((name) => camelParts(name) ?? []);
  if (language?.compounds === true) {
    const long = text.normalize('NFC').toLowerCase().match(LONG_WORD) ?? [];
    parts.push(...[...new Set(long)].map((word) => backwards(word) + BACKWARDS));
  }
  return parts.join(' ');
}

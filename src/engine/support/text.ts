import { distance } from 'fastest-levenshtein';
import { isTooDeep } from './json-fault.js';

/** The parsed JSON; undefined where the text is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text of UTF-8 bytes, without a mark of their order; undefined if they are not UTF-8. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The text of bytes, as UTF-16 if they start with a mark of their order, and as UTF-8 otherwise; without the mark. */
export function textByMark(bytes: Buffer): string {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return bytes.toString('utf8', 3);
  if (first === 0xff && second === 0xfe) return bytes.toString('utf16le', 2);
  if (first === 0xfe && second === 0xff) {
    // A copy, because it changes the bytes.
    return Buffer.from(bytes.subarray(2, bytes.length - (bytes.length % 2)))
      .swap16()
      .toString('utf16le');
  }
  return bytes.toString('utf8');
}

/** For JSON.stringify: the same text for equal values, whatever the order of their keys. */
export function withSortedKeys(_key: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The parsed JSON, or the text itself: servers may answer with either, and with JSON that is too deep to be walked. */
export function jsonOrText(text: string): unknown {
  const value = parsedJson(text);
  return value === undefined || isTooDeep(value) ? text : value;
}

/**
 * A text as one quoted word of a POSIX shell ("Shell Command Language", 2.2.2 "Single-Quotes").
 */
export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A text as one word of a shell, quoted only where a shell could take it for something else. */
export function shellWord(text: string): string {
  return /^[\w@%+:,./-][\w@%+=:,./-]*$/u.test(text) ? text : singleQuoted(text);
}

/** A text with its percent-encoded characters decoded; unchanged where a percent sign is only that. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const OFFSET = 0xcbf29ce484222325n;
const PRIME = 0x100000001b3n;

/**
 * FNV-1a, 64 bits, as 16 hexadecimal digits (http://www.isthe.com/chongo/tech/comp/fnv). Not
 * cryptographic: loading Node's crypto would cost a start 3 ms.
 */
export function shortHash(text: string): string {
  let hash = OFFSET;
  for (const byte of Buffer.from(text, 'utf8')) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * PRIME);
  }
  return hash.toString(16).padStart(16, '0');
}

/**
 * The known name nearest to a mistyped one; undefined when none is close: at most a third of the letters
 * may differ, two in short names. Case does not matter.
 */
export function suggestName(typed: string, known: readonly string[]): string | undefined {
  const lower = typed.toLowerCase();
  let best: { readonly name: string; readonly steps: number } | undefined;
  for (const name of known) {
    const steps = distance(lower, name.toLowerCase());
    if (best === undefined || steps < best.steps) best = { name, steps };
  }
  if (best === undefined) return undefined;
  const longer = Math.max(typed.length, best.name.length);
  const near = best.steps <= Math.max(2, Math.floor(longer / 3)) && best.steps * 2 <= longer;
  return near ? best.name : undefined;
}

/** The hint after a mistyped name: the known one that was meant, or else what is known. */
export function nameHint(typed: string, known: readonly string[], otherwise: string): string {
  const suggestion = suggestName(typed, known);
  return suggestion === undefined ? otherwise : `did you mean "${suggestion}"?`;
}

/** The first of several texts, and how many more there are. */
export function shortList(texts: readonly string[], most: number): string {
  const more = texts.length > most ? ` and ${texts.length - most} more` : '';
  return `${texts.slice(0, most).join(', ')}${more}`;
}

/** Whether a value is a JSON object: neither null nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The beginning of a text, of at most so many UTF-16 units and never with half a character. */
export function firstChars(text: string, most: number): string {
  return text.slice(0, isWithinPair(text, most) ? most - 1 : most);
}

/** A text on one line: each run of white space is one space. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim();
}

/** A text of at most so many UTF-16 units; one that is cut ends with an ellipsis. */
export function withEllipsis(text: string, most: number): string {
  return text.length <= most ? text : `${firstChars(text, most - 1)}…`;
}

/** The end of a text, like {@link firstChars}. */
export function lastChars(text: string, most: number): string {
  const start = Math.max(0, text.length - most);
  return text.slice(isWithinPair(text, start) ? start + 1 : start);
}

function isWithinPair(text: string, at: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(0, at - 1), at + 1));
}

/** A text for comparisons: case is ignored, and so is whether accents are letters of their own, as macOS writes them. */
export function folded(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

const NON_ASCII = /[^\0-\x7f]/;

/** Whether a text is plain ASCII, for which much can be done faster. */
export function isAscii(text: string): boolean {
  return !NON_ASCII.test(text);
}

/** `recallCount` as `recall_count`, such as in a database. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
}

/** The line ending of a text; `\n` where it has none. */
export function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** Special in JavaScript: it must not come in from outside. */
const PROTOTYPE_KEY = '__proto__';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const COLON = 0x3a;
const ZERO = 0x30;
const NINE = 0x39;
/** `+ - . E e` */
const NUMBER_SIGNS: ReadonlySet<number> = new Set([0x2b, 0x2d, 0x2e, 0x45, 0x65]);

/**
 * What is wrong with a text although JSON.parse accepts it: nesting that is too deep, a duplicate name
 * (programs disagree about which one counts), a name special to JavaScript, a number that would be stored
 * as another one, an unpaired surrogate, which UTF-8 cannot encode.
 *
 * One pass without recursion: a few bytes of input must not exhaust the stack.
 *
 * @param text valid JSON; for any other text the result is meaningless
 */
export function jsonFault(text: string): string | undefined {
  /** The names in each open object; undefined for an array. */
  const open: Names[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    let fault: string | undefined;
    if (code === QUOTE) {
      const end = endOfString(text, at);
      const written = text.slice(at + 1, end);
      if (isName(text, end)) fault = nameFault(written, open.at(-1));
      fault ??= stringFault(written);
      at = end;
    } else if (isDigit(code)) {
      const end = endOfNumber(text, at);
      fault = numberFault(text.slice(at, end));
      at = end - 1;
    } else {
      fault = nestingFault(code, open);
    }
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** The names in an object; undefined for an array. */
export type Names = Set<string> | undefined;

function nestingFault(code: number, open: Names[]): string | undefined {
  if (code === CLOSE_OBJECT || code === CLOSE_LIST) open.pop();
  else if (code === OPEN_OBJECT) open.push(new Set());
  else if (code === OPEN_LIST) open.push(undefined);
  return open.length > MOST_JSON_DEPTH
    ? `is nested deeper than ${MOST_JSON_DEPTH} levels`
    : undefined;
}

/** The position of a string's closing quote. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; ) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return quote;
    at = quote + 1;
  }
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (isInNumber(text.charCodeAt(end))) end += 1;
  return end;
}

function isInNumber(code: number): boolean {
  return isDigit(code) || NUMBER_SIGNS.has(code);
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

/** JSON.parse turns it into infinity, which JSON cannot express, or zero, or rounds it, such as a 64-bit id. */
function numberFault(written: string): string | undefined {
  const value = Number(written);
  if (!Number.isFinite(value)) return 'contains a number that is too large';
  const [digits = ''] = written.split(/e/iu);
  if (value === 0 && /[1-9]/u.test(digits)) return 'contains a number that is too small';
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value);
  return isRounded && !/e/iu.test(written)
    ? `contains a whole number beyond ${Number.MAX_SAFE_INTEGER}; send it as a string`
    : undefined;
}

/** Strings, in which digits are left alone, and whole numbers of 16 digits or more. */
const STRING_OR_LONG_INTEGER = /"[^"\\]*(?:\\.[^"\\]*)*"|(?<![\d.eE+-])-?[1-9]\d{15,}(?![\d.eE])/gu;

/**
 * Valid JSON without two of the faults: puts whole numbers that JSON.parse would round in quotes, and replaces unpaired
 * surrogates, which senders write where they cut a text.
 *
 * @param text valid JSON
 */
export function repairJson(text: string): string {
  return text.replaceAll(STRING_OR_LONG_INTEGER, (found) => {
    if (!found.startsWith('"')) return Number.isSafeInteger(Number(found)) ? found : `"${found}"`;
    if (stringFault(found.slice(1, -1)) === undefined) return found;
    return JSON.stringify(String(JSON.parse(found)).toWellFormed());
  });
}

/** The text is UTF-8, so that only an escape can be an unpaired surrogate. */
function stringFault(written: string): string | undefined {
  if (!written.includes('\\u')) return undefined;
  const value = String(JSON.parse(`"${written}"`));
  return value.isWellFormed() ? undefined : 'contains an unpaired surrogate';
}

/** A string is a name if a colon follows. */
function isName(text: string, end: number): boolean {
  let at = end + 1;
  while (isBlank(text.charCodeAt(at))) at += 1;
  return text.charCodeAt(at) === COLON;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Names are compared without their escapes. @param written as in JSON, without its quotes */
export function nameFault(written: string, names: Names): string | undefined {
  const name = written.includes('\\') ? String(JSON.parse(`"${written}"`)) : written;
  if (name === PROTOTYPE_KEY) return `contains a field named ${PROTOTYPE_KEY}`;
  if (names === undefined) return undefined;
  if (names.has(name)) return 'contains a duplicate field';
  names.add(name);
  return undefined;
}

/**
 * How many levels of arrays and objects JSON from outside can have: more than any sender needs, and few enough for
 * code that recurses, unlike JSON.parse.
 */
export const MOST_JSON_DEPTH = 64;

/** Whether a value of JSON has more levels than {@link MOST_JSON_DEPTH}. */
export function isTooDeep(value: unknown, levels: number = MOST_JSON_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1));
}

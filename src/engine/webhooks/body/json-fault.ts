/** How deep arrays and objects may be nested in a body. */
const MOST_DEPTH = 64;

/** A name that JavaScript gives a meaning of its own: it must not come in from outside. */
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
 * What is wrong with a text that JSON.parse takes: too deep, a name twice in one object (programs
 * disagree about which one counts), a name with a meaning in JavaScript, a number beyond all
 * numbers. Undefined when nothing is.
 *
 * One pass over the text, and no recursion: a few bytes of input must not cost a stack.
 *
 * @param text valid JSON; for any other text the answer means nothing
 */
export function jsonFault(text: string): string | undefined {
  /** The names of each open object; undefined for a list. */
  const open: Names[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    let fault: string | undefined;
    if (code === QUOTE) {
      const end = endOfString(text, at);
      if (isName(text, end)) fault = nameFault(text.slice(at + 1, end), open.at(-1));
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

type Names = Set<string> | undefined;

/** Follows the brackets. */
function nestingFault(code: number, open: Names[]): string | undefined {
  if (code === CLOSE_OBJECT || code === CLOSE_LIST) open.pop();
  else if (code === OPEN_OBJECT) open.push(new Set());
  else if (code === OPEN_LIST) open.push(undefined);
  return open.length > MOST_DEPTH ? `is nested deeper than ${MOST_DEPTH} levels` : undefined;
}

/** Where the string that begins at a quote ends: the place of its second quote. */
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

/** JSON.parse makes infinity of it, which no JSON can hold. */
function numberFault(written: string): string | undefined {
  return Number.isFinite(Number(written)) ? undefined : 'holds a number that is too large';
}

/** A string is a name when a colon follows. */
function isName(text: string, end: number): boolean {
  let at = end + 1;
  while (isBlank(text.charCodeAt(at))) at += 1;
  return text.charCodeAt(at) === COLON;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Two spellings of a name are one name. */
function nameFault(written: string, names: Names): string | undefined {
  const name = written.includes('\\') ? String(JSON.parse(`"${written}"`)) : written;
  if (name === PROTOTYPE_KEY) return `has a field called ${PROTOTYPE_KEY}`;
  if (names === undefined) return undefined;
  if (names.has(name)) return 'has a field twice';
  names.add(name);
  return undefined;
}

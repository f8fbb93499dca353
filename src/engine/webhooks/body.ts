import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { MOST_JSON_DEPTH } from '../support/json-depth.js';

type ParsedBody =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: string };

/** Some clients on Windows start every text with it. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Reads the bytes of a body as JSON in UTF-8. */
export function parseBody(bytes: Buffer): ParsedBody {
  if (bytes.length === 0) return faulty('is empty');
  if (!isUtf8(bytes)) return faulty('is not UTF-8');
  const whole = bytes.toString('utf8');
  const text = whole.startsWith(BYTE_ORDER_MARK) ? whole.slice(1) : whole;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message quotes the text, which may contain secrets.
    return faulty('is not JSON');
  }
  const fault = jsonFault(text);
  return fault === undefined ? { ok: true, value } : faulty(fault);
}

function faulty(error: string): ParsedBody {
  return { ok: false, error: `body: ${error}` };
}

/** More than any sender has. */
const MOST_FORM_FIELDS = 1000;

/**
 * Reads the bytes of a form as an object of texts. A field `payload` with a JSON object is the body itself: GitHub
 * and Slack send their JSON that way.
 */
export function parseForm(bytes: Buffer): ParsedBody {
  if (bytes.length === 0) return faulty('is empty');
  if (!isUtf8(bytes)) return faulty('is not UTF-8');
  const form = new URLSearchParams(bytes.toString('utf8'));
  if (form.size > MOST_FORM_FIELDS) return faulty(`has more than ${MOST_FORM_FIELDS} fields`);
  const payload = form.get(PAYLOAD_FIELD);
  if (payload?.startsWith('{') === true && form.getAll(PAYLOAD_FIELD).length === 1) {
    return parseBody(Buffer.from(payload, 'utf8'));
  }
  const names: Names = new Set();
  for (const name of form.keys()) {
    const fault = nameFault(JSON.stringify(name).slice(1, -1), names);
    if (fault !== undefined) return faulty(fault);
  }
  return { ok: true, value: Object.fromEntries(form) };
}

const PAYLOAD_FIELD = 'payload';

/** The bytes of a body, or why there are none. */
export type ReadBody =
  | { readonly type: 'read'; readonly bytes: Buffer }
  | { readonly type: 'too_large' }
  | { readonly type: 'too_slow' }
  /** The client is gone, and nobody reads an answer. */
  | { readonly type: 'closed' };

interface BodyLimits {
  readonly bodyBytes: number;
  readonly bodyTimeoutSeconds: number;
}

/**
 * Reads a body. One announced as too large is refused before a byte is read; one that turns out too large
 * or too slow is not read to its end.
 */
export function readBody(request: IncomingMessage, limits: BodyLimits): Promise<ReadBody> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limits.bodyBytes) return Promise.resolve({ type: 'too_large' });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (outcome: ReadBody): void => {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      resolve(outcome);
    };
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > limits.bodyBytes) settle({ type: 'too_large' });
      else chunks.push(chunk);
    };
    const onEnd = (): void => {
      const [first] = chunks;
      const whole = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
      settle({ type: 'read', bytes: whole });
    };
    const onClose = (): void => settle({ type: 'closed' });
    const timer = setTimeout(() => settle({ type: 'too_slow' }), limits.bodyTimeoutSeconds * 1000);
    request.on('data', onData).on('end', onEnd).on('close', onClose);
    // Without a listener an aborted request would end the process.
    request.on('error', onClose);
  });
}

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

type Names = Set<string> | undefined;

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

/** JSON.parse turns it into infinity, which JSON cannot express, or rounds it, such as a 64-bit id. */
function numberFault(written: string): string | undefined {
  const value = Number(written);
  if (!Number.isFinite(value)) return 'contains a number that is too large';
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value);
  return isRounded && !/e/iu.test(written)
    ? `contains a whole number beyond ${Number.MAX_SAFE_INTEGER}; send it as a string`
    : undefined;
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

/** Names are compared without their escapes. */
function nameFault(written: string, names: Names): string | undefined {
  const name = written.includes('\\') ? String(JSON.parse(`"${written}"`)) : written;
  if (name === PROTOTYPE_KEY) return `contains a field named ${PROTOTYPE_KEY}`;
  if (names === undefined) return undefined;
  if (names.has(name)) return 'contains a duplicate field';
  names.add(name);
  return undefined;
}

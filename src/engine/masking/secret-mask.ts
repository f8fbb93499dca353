import { percentDecoded } from '../support/text.js';
import { isSecretValue, MASK, redactSecrets, SECRET_FIELD } from './token-patterns.js';

/**
 * Masks secrets in everything that leaves the process: those that were read so far, and texts that look
 * like one. There is one per process.
 */
export interface SecretMask {
  /** Remembers a secret, unless it is shorter than {@link LEAST_KNOWN_CHARS}. */
  readonly learn: (value: string) => void;
  readonly text: (text: string) => string;
  /** Plain JSON data with secrets masked in its texts; keys and shape stay. */
  readonly data: <T>(data: T) => T;
}

/** Shorter secrets are not masked: placeholders such as `none` or `ollama` are common words. */
export const LEAST_KNOWN_CHARS = 8;

/** From this length, single lines of a multi-line secret such as a private key are masked as well. */
const LEAST_LINE_CHARS = 16;

export function createSecretMask(known: Iterable<string> = []): SecretMask {
  const forms = new Set<string>();
  let knownForm: RegExp | undefined;
  const learn = (value: string): void => {
    const before = forms.size;
    for (const secret of [value, ...passwordsIn(value)]) {
      for (const form of formsOf(secret)) forms.add(form);
    }
    if (forms.size !== before) knownForm = undefined;
  };
  const text = (plain: string): string => {
    knownForm ??= anyOf(forms);
    return redactSecrets(knownForm === undefined ? plain : plain.replaceAll(knownForm, MASK));
  };
  for (const value of known) learn(value);
  // The cast is safe: texts stay texts, and no literal of svc looks like a secret.
  return { learn, text, data: (data) => masked(data, text) as typeof data };
}

/** The passwords of a URL, which a message may quote without the rest of it: as they are written, and decoded. */
function passwordsIn(value: string): readonly string[] {
  if (!URL.canParse(value)) return [];
  const { password, searchParams } = new URL(value);
  return [password, percentDecoded(password), searchParams.get('password') ?? ''];
}

/**
 * The forms of a value in texts: plain, in JSON, where PHP escapes slashes, in a URL, where some write hexadecimal digits
 * in lower case, in Basic authentication.
 */
function formsOf(value: string): readonly string[] {
  const whole = value.trim();
  if (whole.length < LEAST_KNOWN_CHARS) return [];
  const lines = whole.split(/(?<!\s)\s*\n\s*/u).filter((line) => line.length >= LEAST_LINE_CHARS);
  return [whole, ...lines].flatMap((part) => [
    part,
    inJson(part),
    inJson(part).replaceAll('/', String.raw`\/`),
    encoded(part),
    encoded(part).replaceAll(/%../gu, (hex) => hex.toLowerCase()),
    Buffer.from(part)
      .toString('base64')
      .replace(/={1,2}$/u, ''),
  ]);
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Half a surrogate pair cannot be encoded. */
function encoded(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A key, not a path, which others may begin like. */
const KEY = /^(?=.*\d)[\w+=-][\w.+/=-]{23,}$/u;

/** Of a key, so many characters are enough to mask what was cut off after them. */
const START_CHARS = 16;

/** Longer ones first: one secret may begin with another. */
function anyOf(forms: ReadonlySet<string>): RegExp | undefined {
  if (forms.size === 0) return undefined;
  const wholes = [...forms].toSorted((a, b) => b.length - a.length);
  const starts = wholes.filter((form) => KEY.test(form)).map((form) => form.slice(0, START_CHARS));
  const cut = starts.map((start) => String.raw`${patternOf(start)}[\w.+/=-]*`);
  return new RegExp([...wholes.map(patternOf), ...cut].join('|'), 'g');
}

/** Matches a text, also in HTML. */
function patternOf(text: string): string {
  return text.replaceAll(/[^\w\s]/gu, (sign) => {
    const escaped = /[$()*+.?[\\\]^{|}]/u.test(sign) ? `\\${sign}` : sign;
    const name = HTML_NAMES[sign];
    return name === undefined ? escaped : `(?:${escaped}|&(?:${name});)`;
  });
}

/** How pages of errors write signs, by name or number, which may begin with zeros. */
const HTML_NAMES: Readonly<Record<string, string>> = {
  '"': 'quot|#0*34|#[xX]0*22',
  '&': 'amp|#0*38|#[xX]0*26',
  "'": 'apos|#0*39|#[xX]0*27',
  '+': '#0*43|#[xX]0*2[bB]',
  '/': '#0*47|#[xX]0*2[fF]',
  '<': 'lt|#0*60|#[xX]0*3[cC]',
  '=': '#0*61|#[xX]0*3[dD]',
  '>': 'gt|#0*62|#[xX]0*3[eE]',
};

/** Instances of classes are not JSON data. */
function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function masked(value: unknown, text: (plain: string) => string): unknown {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) {
    return value.map((item, at) =>
      isSecretArgument(value[at - 1], item) ? MASK : masked(item, text),
    );
  }
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      typeof item === 'string' && isSecretField(name, item) ? MASK : masked(item, text),
    ]),
  );
}

/** Whether an item of a command follows an option such as `--token`. */
function isSecretArgument(option: unknown, value: unknown): boolean {
  return (
    typeof option === 'string' &&
    option.startsWith('-') &&
    typeof value === 'string' &&
    isSecretField(option, value)
  );
}

/** A value with spaces is a sentence. */
function isSecretField(name: string, value: string): boolean {
  return SECRET_FIELD.test(name) && !/\s/u.test(value) && isSecretValue(value);
}

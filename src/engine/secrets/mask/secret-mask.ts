import { MASK, SECRET_FIELD, SECRET_VALUE, TOKEN_PATTERNS } from './token-patterns.js';

/**
 * What every text goes through before it leaves the process. It knows the secrets that were read so
 * far, and what secrets look like. One for each process, handed to whoever reads or prints.
 */
export interface SecretMask {
  /** Remembers a secret. Shorter ones than {@link LEAST_KNOWN_CHARS} are not: they are words. */
  readonly learn: (value: string) => void;
  /** The text without secrets; gives back an ordinary text as it is. */
  readonly text: (text: string) => string;
  /** Plain JSON data whose texts are without secrets; keys stay, and so does the shape. */
  readonly data: <T>(data: T) => T;
}

/**
 * A secret of fewer characters is not looked for in texts: placeholders like `none` or `ollama` are
 * words that would be masked in every sentence.
 */
export const LEAST_KNOWN_CHARS = 8;

/** Lines of a secret of several lines, as a private key is one, are looked for from this length. */
const LEAST_LINE_CHARS = 16;

/** Makes a mask that knows these secrets to begin with. */
export function createSecretMask(known: Iterable<string> = []): SecretMask {
  const forms = new Set<string>();
  let knownForm: RegExp | undefined;
  const learn = (value: string): void => {
    const before = forms.size;
    for (const form of formsOf(value)) forms.add(form);
    if (forms.size !== before) knownForm = undefined;
  };
  const text = (plain: string): string => {
    knownForm ??= anyOf(forms);
    let masked = knownForm === undefined ? plain : plain.replaceAll(knownForm, MASK);
    for (const { form, left } of TOKEN_PATTERNS) masked = masked.replaceAll(form, left);
    return masked;
  };
  for (const value of known) learn(value);
  return { learn, text, data: (data) => maskedData(data, text) };
}

/** The ways in which a value gets into a text: as it is, in JSON, in an address, in Basic. */
function formsOf(value: string): readonly string[] {
  const whole = value.trim();
  if (whole.length < LEAST_KNOWN_CHARS) return [];
  const lines = whole.split(/\s*\r?\n\s*/u).filter((line) => line.length >= LEAST_LINE_CHARS);
  return [whole, ...lines].flatMap((part) => [
    part,
    JSON.stringify(part).slice(1, -1),
    encoded(part),
    Buffer.from(part).toString('base64').replace(/=+$/u, ''),
  ]);
}

/** Half a surrogate pair cannot stand in an address. */
function encoded(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Longer ones first: one secret may begin with another. */
function anyOf(forms: ReadonlySet<string>): RegExp | undefined {
  if (forms.size === 0) return undefined;
  const escaped = [...forms]
    .toSorted((a, b) => b.length - a.length)
    .map((form) => form.replaceAll(/[$()*+.?[\\\]^{|}]/gu, String.raw`\$&`));
  return new RegExp(escaped.join('|'), 'g');
}

/**
 * The one cast: texts stay texts, and everything else stays what it is. A literal type is left
 * unharmed since no code or state of ours looks like a secret.
 */
function maskedData<T>(data: T, text: (plain: string) => string): T {
  return masked(data, text) as T;
}

/** What has a class has a shape of its own, and is no data of JSON. */
function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function masked(value: unknown, text: (plain: string) => string): unknown {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return value.map((item) => masked(item, text));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      typeof item === 'string' && SECRET_FIELD.test(name) && SECRET_VALUE.test(item)
        ? MASK
        : masked(item, text),
    ]),
  );
}

import { isIP } from 'node:net';
import * as z from 'zod/mini';
import { createGlob } from '../../support/glob.js';
import { ignorePatternFault } from '../../support/ignore-pattern.js';
import { LONGEST_TIMER_MS } from '../../support/time.js';

/** Documentation of a schema. */
export interface SchemaNote {
  /** What the key does, with its unit. Markdown without a period at the end. */
  readonly description?: string;
  /** Describes accepted values, if type and range are not enough. */
  readonly form?: string;
}

/** Notes of all schemas of the configuration; used by faults, docs and the JSON Schema. */
export const NOTES: z.core.$ZodRegistry<SchemaNote> = z.registry<SchemaNote>();

// Compiling validators takes longer than checking the few values of a file.
z.config({ jitless: true });

/** An optional key. */
export function key<T extends z.core.$ZodType>(
  schema: T,
  description: string,
): z.ZodMiniOptional<T> {
  const optional = z.optional(schema);
  NOTES.add(optional, { description });
  return optional;
}

/**
 * An optional group of keys. Its schema is built on first use: a file uses few groups, and building
 * all of them would take most of the loading time.
 */
export function section<Keys extends z.core.$ZodLooseShape>(
  description: string,
  build: () => Keys,
): z.ZodMiniOptional<z.ZodMiniLazy<z.ZodMiniObject<Keys, z.core.$strict>>> {
  return key(
    later(() => z.strictObject(build())),
    description,
  );
}

/** A schema that is built on first use. Cannot wrap an optional one. */
export function later<T extends z.core.$ZodType>(build: () => T): z.ZodMiniLazy<T> {
  const schema = z.lazy(build);
  // zod asks every schema, even of missing keys, whether it provides a value, and would build a
  // lazy one to answer. Ours never do.
  Object.defineProperty(schema._zod, 'optin', { value: undefined });
  return schema;
}

/** A required key. Describes `schema` in place, so keys cannot share it. */
export function requiredKey<T extends z.core.$ZodType>(schema: T, description: string): T {
  NOTES.add(schema, { ...NOTES.get(schema), description });
  return schema;
}

/** A string that is more than white space, as in the fields of an action. */
export function text() {
  return pattern(/\S/u, 'a string that is not blank');
}

/**
 * A name by which stores find their rows, and which requests and commands repeat. PostgreSQL indexes at most 2,700
 * bytes.
 */
export function storedName(what: string) {
  return pattern(
    /^\S(?:.{0,253}\S)?$/u,
    `${what} of at most 255 characters, without surrounding spaces`,
  );
}

/** A string matching an expression. */
export function pattern(expression: RegExp, form: string) {
  return z.string().check(z.regex(expression)).register(NOTES, { form });
}

/** A string for which a function returns true. */
export function refined(isValid: (text: string) => boolean, form: string) {
  return z.string().check(z.refine(isValid)).register(NOTES, { form });
}

/** A string that a function takes without throwing. */
function parsable(parse: (text: string) => unknown, form: string) {
  const isValid = (text: string): boolean => {
    try {
      parse(text);
      return true;
    } catch {
      return false;
    }
  };
  return refined(isValid, form);
}

/** A whole number within inclusive bounds. */
export function integer(minimum: number, maximum: number = Number.MAX_SAFE_INTEGER) {
  return z.int().check(z.minimum(minimum), z.maximum(maximum));
}

const MS_IN = { milliseconds: 1, seconds: 1000, minutes: 60_000 } as const;

/** How many days ago something may be: at most a hundred years, of which there is always a date. */
export function days(minimum: number) {
  return integer(minimum, 36_500);
}

/** A whole number of time units that a timer supports. */
export function waitingTime(unit: keyof typeof MS_IN, minimum: number) {
  return integer(minimum, Math.floor(LONGEST_TIMER_MS / MS_IN[unit]));
}

/** Like {@link waitingTime}, fractions included. */
export function waitingTimePart(unit: keyof typeof MS_IN, minimum: number) {
  return decimal(minimum, Math.floor(LONGEST_TIMER_MS / MS_IN[unit]));
}

/** A number within inclusive bounds. */
export function decimal(minimum: number, maximum: number = Number.MAX_SAFE_INTEGER) {
  return z.number().check(z.minimum(minimum), z.maximum(maximum));
}

/** A TCP port; 0 selects a free one. */
export function port() {
  return integer(0, 65_535);
}

/** Values with a unit, like `5m`; `0` disables. */
export function duration() {
  return pattern(
    /^(?:0|[1-9]\d*(?:ms|s|m|h|d))$/u,
    'a duration like "30s", "5m" or "1h"; "0" for never',
  );
}

/** Names of well-known networks, as in express and fastify. */
const NAMED_NETWORKS: ReadonlySet<string> = new Set(['linklocal', 'loopback', 'uniquelocal']);

/** An IP address, a network, or a network name. */
export function network() {
  return refined(
    isNetwork,
    'an IP address, a network such as "10.0.0.0/8", "loopback", "linklocal" or "uniquelocal"',
  );
}

function isNetwork(text: string): boolean {
  if (NAMED_NETWORKS.has(text)) return true;
  const [address = '', bits, more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || address.includes('%') || more !== undefined) return false;
  if (bits === undefined) return true;
  return /^\d{1,3}$/u.test(bits) && Number(bits) > 0 && Number(bits) <= (family === 4 ? 32 : 128);
}

/** Where a listener listens. */
export function host() {
  return refined(
    (text) => isIP(text) !== 0 || /^[^\s:/?#@%\\[\]]+$/u.test(text),
    'an IP address or the name of a host, without a port or brackets',
  );
}

/** An absolute http(s) URL. */
export function httpUrl() {
  return address(/^https?:\/\/[^\s/?#]\S*$/u, HTTP_URL);
}

/** An absolute http(s) URL to which paths are appended. */
export function baseUrl() {
  return address(/^https?:\/\/[^\s/?#][^\s?#]*$/u, `${HTTP_URL}, without "?" or "#"`);
}

const HTTP_URL = 'a URL starting with http:// or https://';

function address(expression: RegExp, form: string) {
  return z
    .string()
    .check(
      z.regex(expression, { abort: true }),
      // No pattern finds a port above 65535.
      z.refine((url) => URL.canParse(url)),
    )
    .register(NOTES, { form });
}

/** The certificate of a listener. */
export function tls() {
  return section('Serve HTTPS', () => ({
    cert: key(text(), 'PEM file with the certificate chain'),
    key: key(text(), 'PEM file with the private key'),
  }));
}

/** An IANA time zone known to this system. */
export function timeZone() {
  return parsable(
    (timeZone) => new Intl.DateTimeFormat('en', { timeZone }),
    'a time zone like "Europe/Paris" or "UTC"',
  );
}

/** A glob that svc supports; see glob.ts. */
export function glob() {
  return parsable(
    (glob) => createGlob(glob, { dot: false }),
    'a pattern like "**/*.md" or "{notes,wiki}/*.md"',
  );
}

/** A pattern as in `.gitignore`. */
export function ignorePattern() {
  return refined(
    (pattern) => ignorePatternFault(pattern) === undefined,
    'a gitignore pattern like "drafts/" or "*.tmp.md" of up to 256 characters, with "**" at most twice',
  );
}

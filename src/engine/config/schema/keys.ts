import * as z from 'zod/mini';

/** What is known of a schema besides the values it accepts. */
export interface SchemaNote {
  /** What the key does, with its unit. Markdown, without a full stop at the end. */
  readonly description?: string;
  /** The accepted form in words, where type and range do not say enough. */
  readonly form?: string;
}

/** Notes of every schema of the configuration; read by faults, the docs and the JSON Schema. */
export const NOTES: z.core.$ZodRegistry<SchemaNote> = z.registry<SchemaNote>();

// Compiling a validator for each object costs more than the few values of one file take to check.
z.config({ jitless: true });

/** A key that may be left out. */
export function key<T extends z.core.$ZodType>(
  schema: T,
  description: string,
): z.ZodMiniOptional<T> {
  const optional = z.optional(schema);
  NOTES.add(optional, { description });
  return optional;
}

/**
 * A group of keys that may be left out. Its schema is built when a value is first checked: a file
 * uses few groups, and building all of them took most of the time that loading one takes.
 */
export function section<T extends z.core.$ZodType>(
  build: () => T,
  description: string,
): z.ZodMiniOptional<z.ZodMiniLazy<T>> {
  return key(later(build), description);
}

/** A schema that is built when a value is first checked. May not stand for an optional one. */
export function later<T extends z.core.$ZodType>(build: () => T): z.ZodMiniLazy<T> {
  const schema = z.lazy(build);
  // zod asks every schema, also those of absent keys, whether it fills in a value, and a lazy one
  // is built to answer. Ours never do.
  Object.defineProperty(schema._zod, 'optin', { value: undefined });
  return schema;
}

/** A key that must be there. `schema` is described in place and may not be shared between keys. */
export function requiredKey<T extends z.core.$ZodType>(schema: T, description: string): T {
  NOTES.add(schema, { ...NOTES.get(schema), description });
  return schema;
}

/** At least one character, or one entry. */
export function nonEmpty() {
  return ofLengths(z.minLength(1));
}

/** At most so many characters, or entries. */
export function atMost(length: number) {
  return ofLengths(z.maxLength(length));
}

/** zod would look at whatever has a length, also at an object in the place of a text. */
function ofLengths<T extends z.core.$ZodCheck>(check: T): T {
  check._zod.def.when = ({ value }) => typeof value === 'string' || Array.isArray(value);
  return check;
}

/** Any string but the empty one. */
export function text() {
  return z.string().check(nonEmpty()).register(NOTES, { form: 'a non-empty string' });
}

/** A string of a certain form. */
export function pattern(expression: RegExp, form: string) {
  return z.string().check(z.regex(expression)).register(NOTES, { form });
}

/** A whole number within bounds, both included. */
export function integer(minimum: number, maximum: number = Number.MAX_SAFE_INTEGER) {
  return z.int().check(z.minimum(minimum), z.maximum(maximum));
}

/** A number within bounds, both included. */
export function decimal(minimum: number, maximum: number) {
  return z.number().check(z.minimum(minimum), z.maximum(maximum));
}

/** A TCP port; 0 lets the system choose one. */
export function port() {
  return integer(0, 65_535);
}

/** Values that carry their unit, like `5m`; `0` switches off. */
export function duration() {
  return pattern(
    /^(?:0|[1-9]\d*(?:ms|s|m|h|d))$/u,
    'a duration like "30s", "5m" or "1h"; "0" for never',
  );
}

/** An absolute http(s) address. */
export function httpUrl() {
  return pattern(/^https?:\/\/[^\s/?#]+\S*$/u, 'an address that begins with http:// or https://');
}

/** An IANA time zone that this system knows. */
export function timeZone() {
  return z
    .string()
    .check(z.refine(isTimeZone))
    .register(NOTES, { form: 'a time zone like "Europe/Paris" or "UTC"' });
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

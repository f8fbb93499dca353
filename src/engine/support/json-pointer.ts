import { withEllipsis } from './text.js';

const WHOLE_POINTER = /^(?:\/(?:[^~/]|~[01])*)+$/u;
const POSITION = /^(?:0|[1-9]\d*)$/u;

/** The keys that a JSON pointer (RFC 6901) names, from the root; undefined for other text. */
export function pointerKeys(pointer: string): readonly string[] | undefined {
  if (!WHOLE_POINTER.test(pointer)) return undefined;
  return pointer
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll(/~[01]/gu, (mark) => (mark === '~0' ? '~' : '/')));
}

/** The value at these keys of JSON data; undefined where there is none. */
export function valueAtKeys(root: unknown, keys: readonly string[]): unknown {
  let value = root;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null) return undefined;
    if (Array.isArray(value) ? !POSITION.test(key) : !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

/** JSON with JSON pointers in braces in its texts, such as `Review {/pull_request/title}`. */
type Template =
  | { readonly type: 'literal'; readonly value: unknown }
  /** A text that is one pointer: the value there, whatever its type. */
  | { readonly type: 'value'; readonly keys: readonly string[] }
  | { readonly type: 'text'; readonly parts: readonly (string | readonly string[])[] }
  | { readonly type: 'list'; readonly items: readonly Template[] }
  | { readonly type: 'object'; readonly fields: readonly (readonly [string, Template])[] };

/** A brace without a slash is text. */
const POINTER = /\{(\/[^{}]*)\}/u;
const UNCLOSED = /\{\/[^{}]*(?:\{|$)/u;

/** Why a text is not a template; undefined if it is one. */
export function templateFault(text: string): string | undefined {
  for (const [at, part] of text.split(POINTER).entries()) {
    if (at % 2 === 1) {
      if (pointerKeys(part) === undefined) return `${part} is not a JSON pointer`;
    } else if (UNCLOSED.test(part)) return 'a { before a JSON pointer is not closed';
  }
  return undefined;
}

/** The pointers in a text. */
export function pointersIn(text: string): readonly string[] {
  return text.split(POINTER).filter((_, at) => at % 2 === 1);
}

/** Whether a value of JSON contains a pointer, at any depth. */
export function hasPointers(value: unknown): boolean {
  if (typeof value === 'string') return POINTER.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(hasPointers);
}

/** Parses a template. Pointers with a {@link templateFault} point nowhere. */
export function parseTemplate(value: unknown): Template {
  if (typeof value === 'string') return parseText(value);
  if (Array.isArray(value)) return { type: 'list', items: value.map(parseTemplate) };
  if (typeof value === 'object' && value !== null && hasPointers(value)) {
    const fields = Object.entries(value).map(
      ([name, inner]) => [name, parseTemplate(inner)] as const,
    );
    return { type: 'object', fields };
  }
  return { type: 'literal', value };
}

function parseText(text: string): Template {
  const parts = text
    .split(POINTER)
    .map((part, at) => (at % 2 === 0 ? part : (pointerKeys(part) ?? [])))
    .filter((part) => part !== '');
  const [only] = parts;
  if (parts.length === 1 && typeof only === 'object') return { type: 'value', keys: only };
  if (parts.every((part) => typeof part === 'string')) return { type: 'literal', value: text };
  return { type: 'text', parts };
}

/** Limits of what a template can make of data from outside. */
export interface TemplateLimits {
  /** Longer texts are cut. */
  readonly textChars: number;
  /** Larger lists and objects are refused. */
  readonly jsonChars: number;
}

/** Thrown for a list or object that is larger than allowed. */
export class TooLarge extends Error {}

/**
 * Fills a template. What a pointer does not find is left out: of a text, an object or a list.
 *
 * @returns undefined where nothing is left
 * @throws TooLarge
 */
export function fillTemplate(template: Template, data: unknown, limits: TemplateLimits): unknown {
  switch (template.type) {
    case 'literal':
      return template.value;
    case 'value':
      return bounded(valueAtKeys(data, template.keys), limits);
    case 'text': {
      const texts = template.parts.map((part) =>
        typeof part === 'string' ? part : textOf(bounded(valueAtKeys(data, part), limits)),
      );
      return withEllipsis(texts.join(''), limits.textChars);
    }
    case 'list':
      return template.items
        .map((item) => fillTemplate(item, data, limits))
        .filter((item) => item !== undefined);
    case 'object': {
      const filled: Record<string, unknown> = {};
      for (const [name, inner] of template.fields) {
        const value = fillTemplate(inner, data, limits);
        if (value !== undefined) filled[name] = value;
      }
      return filled;
    }
  }
}

function bounded(value: unknown, { textChars, jsonChars }: TemplateLimits): unknown {
  if (typeof value === 'string') return withEllipsis(value, textChars);
  if (typeof value !== 'object' || value === null) return value;
  if (JSON.stringify(value).length > jsonChars) throw new TooLarge();
  return value;
}

/** How a value reads within a text. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

import { MASK, redactSecrets, SECRET_FIELD } from '../masking/index.js';
import { suggestName } from '../support/text.js';
import type { ConfigPath } from './config-path.js';
import { parseLeniently } from './document.js';
import { endOf, leavesOf, type Node, type ParseError, parseTree } from './jsonc.js';
import { configSchema } from './schema/index.js';
import { knownKeys, schemasAt } from './schema/walk.js';
import { ENV_NAME, isSecretPath, maskSecrets, referencedVariable } from './secret-input.js';

/** A configuration text that can be shown. */
export interface MaskedText {
  /** The same lines with secrets masked. */
  readonly text: string;
  /** Converts an offset of the original to the masked text. */
  readonly offsetOf: (offset: number) => number;
  /** The masked values as written. */
  readonly hidden: ReadonlySet<string>;
}

interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

/**
 * Masks everything that may be a secret: values at secret paths, values of unknown keys (such as a
 * mistyped `apiKey`), passwords in URLs, and token-like text in comments. In invalid JSON, masks
 * all values, since their paths are unknown. Keeps keys and lines.
 *
 * @param known values masked in another version of the text, to mask here too
 */
export function hideConfigValues(text: string, known: ReadonlySet<string> = NOTHING): MaskedText {
  const replacements = replacementsIn(text, known).toSorted((a, b) => a.start - b.start);
  let masked = '';
  let end = 0;
  for (const replacement of replacements) {
    masked += text.slice(end, replacement.start) + replacement.by;
    end = replacement.end;
  }
  return {
    text: masked + text.slice(end),
    offsetOf: (offset) => {
      const before = replacements.filter((replacement) => replacement.end <= offset);
      return before.reduce((at, { start, end, by }) => at + by.length - (end - start), offset);
    },
    hidden: new Set(replacements.map(({ start, end }) => text.slice(start, end))),
  };
}

const NOTHING: ReadonlySet<string> = new Set();

function replacementsIn(text: string, known: ReadonlySet<string>): readonly Replacement[] {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const tokens = [...tokensOf(text)];
  const comments = tokens.flatMap((token) =>
    token.kind === 'comment' ? commentReplacements(token) : [],
  );
  if (tree === undefined || errors.length > 0) {
    return [
      ...comments,
      ...tokens.flatMap((token) => (token.kind === 'value' ? valueReplacements(token) : [])),
    ];
  }
  return [
    ...comments,
    ...[...leavesOf(tree)].flatMap((leaf) => leafReplacements(leaf, text, known)),
  ];
}

interface Token {
  readonly kind: 'comment' | 'key' | 'value';
  readonly start: number;
  readonly text: string;
}

/** Strings (even if not closed), comments, and anything else that is not a bracket. */
const TOKEN = /\/\/[^\r\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:[^"\\\r\n]|\\.)*"?|[^\s{}[\],:"]+/gu;
const HARMLESS = /^(?:true|false|null|-?\d{1,6})$/u;

function* tokensOf(text: string): Generator<Token> {
  for (const match of text.matchAll(TOKEN)) {
    const [token] = match;
    const isKey = /^".*"$/u.test(token) && /^\s*:/u.test(text.slice(match.index + token.length));
    const kind = /^\/[/*]/u.test(token) ? 'comment' : isKey ? 'key' : 'value';
    yield { kind, start: match.index, text: token };
  }
}

function valueReplacements({ start, text }: Token): readonly Replacement[] {
  if (HARMLESS.test(text)) return [];
  return [{ start, end: start + text.length, by: JSON.stringify(MASK) }];
}

/** Comments often contain settings with their values. */
const TOKEN_LIKE = /(?<![\w+/=.-])(?=[\w+/=.-]*\d)(?=[\w+/=.-]*[A-Za-z])[\w+/=.-]{16,}/gu;

function commentReplacements({ start, text }: Token): readonly Replacement[] {
  return [...text.matchAll(TOKEN_LIKE)].map(({ 0: found, index }) => {
    return { start: start + index, end: start + index + found.length, by: MASK };
  });
}

function leafReplacements(
  { node, path }: { readonly node: Node; readonly path: ConfigPath },
  text: string,
  known: ReadonlySet<string>,
): readonly Replacement[] {
  if (node.type === 'boolean' || node.type === 'null') return [];
  const span = { start: node.offset, end: endOf(node) };
  const written = text.slice(span.start, span.end);
  if (isHidden(node.value, path) || known.has(written)) {
    return [{ ...span, by: JSON.stringify(MASK) }];
  }
  const redacted = redactSecrets(written);
  return redacted === written ? [] : [{ ...span, by: redacted }];
}

/** The schema has no key so deep, and looking for it takes as long as the path. */
const MOST_KEYS = 32;

function isHidden(value: unknown, path: ConfigPath): boolean {
  if (isSecretPath(path)) return maskSecrets(value, path) === MASK;
  if (path.length > MOST_KEYS) return true;
  // Small numbers are not secrets, and are often the mistake.
  if (typeof value === 'number' && Math.abs(value) < MOST_SHOWN) return false;
  return schemasAt(configSchema, path).length === 0 && !isMistypedPublicKey(path);
}

/** A mistyped key is shown with its value where the intended key is not a secret. */
function isMistypedPublicKey(path: ConfigPath): boolean {
  const last = path.at(-1);
  if (typeof last !== 'string') return false;
  const parent = path.slice(0, -1);
  const known = schemasAt(configSchema, parent).flatMap((schema) => knownKeys(schema));
  const suggestion = suggestName(last, known);
  return (
    suggestion !== undefined &&
    !isSecretPath([...parent, suggestion]) &&
    !SECRET_FIELD.test(suggestion)
  );
}

const MOST_SHOWN = 1_000_000;

/** A key of a secret and the rest of its line, for invalid JSON. */
const KEY_AND_REST =
  /((?:key|token|secret|password|passwd|authorization)["']?[ \t]*:)([^\r\n]*)/giu;

/**
 * Replaces secrets with stars of the same length, so that locations stay valid. Handles texts with
 * faults, since mistakes with secrets are common.
 */
export function maskConfigText(text: string): string {
  const { tree, errors } = parseLeniently(text);
  let masked = '';
  let done = 0;
  for (const { node, path } of tree === undefined ? [] : leavesOf(tree)) {
    if (node.type !== 'string' || !isShownAsStars(path, String(node.value))) continue;
    const { offset, length } = node;
    const start = offset + 1;
    // An unclosed string ends with its line.
    const isClosed = length > 1 && text[offset + length - 1] === '"';
    const end = offset + length - (isClosed ? 1 : 0);
    masked += text.slice(done, start) + stars(text.slice(start, end));
    done = end;
  }
  masked += text.slice(done);
  if (tree === undefined || errors.length > 0) {
    masked = masked.replaceAll(KEY_AND_REST, (_, key: string, rest: string) => {
      return /^\s*(?:["']?(?:env:|\$\{)|\{)/u.test(rest) ? key + rest : key + starWords(rest);
    });
  }
  return redactSecrets(masked, stars);
}

function isShownAsStars(path: ConfigPath, value: string): boolean {
  const variable = referencedVariable(value);
  if (variable !== undefined && ENV_NAME.test(variable)) return false;
  if (isHidden(value, path)) return true;
  // Not for items of a list.
  if (typeof path.at(-1) !== 'string') return false;
  const parent = path.at(-2);
  return parent === 'headers' || parent === 'env' || SECRET_FIELD.test(String(path.at(-1)));
}

function stars(text: string): string {
  return text.replaceAll(/[^\r\n]/gu, (character) => '*'.repeat(character.length));
}

/** Keeps JSON punctuation, so that the fault stays visible. */
function starWords(text: string): string {
  return text.replaceAll(/[^\s"',[\]{}]+/gu, stars);
}

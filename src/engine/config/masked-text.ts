import { MASK, redactSecrets, SECRET_FIELD } from '../masking/index.js';
import { suggestName } from '../support/text.js';
import type { ConfigPath } from './config-path.js';
import { parseLeniently } from './document.js';
import { leavesOf, type Node } from './jsonc.js';
import { keysAt, schemasAt } from './schema/walk.js';
import { isSecretPath, maskSecrets, usableVariable } from './secret-input.js';

/** The schema has no key so deep, and looking for it takes as long as the path. */
const MOST_KEYS = 32;

function isHidden(value: unknown, path: ConfigPath): boolean {
  if (isSecretPath(path)) return maskSecrets(value, path) === MASK;
  if (path.length > MOST_KEYS) return true;
  // Small numbers are not secrets, and are often the mistake.
  if (typeof value === 'number' && Math.abs(value) < MOST_SHOWN) return false;
  return schemasAt(path).length === 0 && !isMistypedPublicKey(path);
}

/** A mistyped key is shown with its value where the intended key is not a secret. */
function isMistypedPublicKey(path: ConfigPath): boolean {
  const last = path.at(-1);
  if (typeof last !== 'string') return false;
  const parent = path.slice(0, -1);
  const suggestion = suggestName(last, keysAt(parent));
  return (
    suggestion !== undefined &&
    !isSecretPath([...parent, suggestion]) &&
    !SECRET_FIELD.test(suggestion)
  );
}

const MOST_SHOWN = 1_000_000;

/** A key of a secret and the rest of its line, for invalid JSON. */
const KEY_AND_REST =
  /((?:key|token|secret|password|passwd|authorization)(?:["'][ \t]*:?|[ \t]*:))([^\r\n]*)/giu;

/** Strings (even if not closed) and comments. */
const STRING_OR_COMMENT = /"(?:[^"\\\r\n]|\\.)*"?|\/\/[^\r\n]*|\/\*[\s\S]*?(?:\*\/|$)/gu;

const TOKEN_LIKE = /(?<![\w+/=.-])(?=[\w+/=.-]*\d)(?=[\w+/=.-]*[A-Za-z])[\w+/=.-]{16,}/gu;

/**
 * Replaces everything that may be a secret with stars of the same length, so that locations stay valid: values at
 * secret paths and of unknown keys (such as a mistyped `apiKey`), passwords in URLs, and token-like text in comments.
 * Handles texts with faults, since mistakes with secrets are common.
 */
export function maskConfigText(text: string): string {
  const { tree, errors } = parseLeniently(text);
  let masked = '';
  let done = 0;
  for (const { node, path } of tree === undefined ? [] : leavesOf(tree)) {
    if (!isShownAsStars(node, path)) continue;
    const { offset, length } = node;
    const quotes = node.type === 'string' ? 1 : 0;
    const start = offset + quotes;
    // An unclosed string ends with its line.
    const isClosed = length > 1 && text[offset + length - 1] === '"';
    const end = offset + length - (isClosed ? quotes : 0);
    masked += text.slice(done, start) + stars(text.slice(start, end));
    done = end;
  }
  masked += text.slice(done);
  if (tree === undefined || errors.length > 0) {
    masked = masked.replaceAll(KEY_AND_REST, (_, key: string, rest: string) => {
      return /^\s*(?:["']?(?:env:|\$\{)|\{)/u.test(rest) ? key + rest : key + starWords(rest);
    });
  }
  // Comments often contain settings with their values.
  const withoutTokens = masked.replaceAll(STRING_OR_COMMENT, (found) =>
    found.startsWith('"') ? found : found.replaceAll(TOKEN_LIKE, stars),
  );
  return redactSecrets(withoutTokens, stars);
}

/** Strings (even if not closed), comments, and anything else that is not a bracket. */
const TOKEN = /\/\/[^\r\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:[^"\\\r\n]|\\.)*"?|[^\s{}[\],:"]+/gu;
const HARMLESS = /^(?:\/[/*]|(?:true|false|null|-?\d{1,6})$)/u;

/** Like {@link maskConfigText}, but with all values of invalid JSON replaced: their paths may be wrong. */
export function maskConfigValues(text: string): string {
  const masked = maskConfigText(text);
  if (parseLeniently(text).errors.length === 0) return masked;
  return masked.replaceAll(TOKEN, (found, at: number) => {
    const isKey = found.startsWith('"') && /^\s*:/u.test(masked.slice(at + found.length));
    if (isKey || HARMLESS.test(found)) return found;
    return found.replaceAll(/[^"\s]/gu, (character) => '*'.repeat(character.length));
  });
}

function isShownAsStars({ type, value }: Node, path: ConfigPath): boolean {
  if (type === 'boolean' || type === 'null') return false;
  if (type === 'number') return isHidden(value, path);
  if (usableVariable(String(value)) !== undefined) return false;
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

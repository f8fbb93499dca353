import {
  MASK,
  SECRET_FIELD,
  TOKEN_PATTERNS,
  type TokenPattern,
} from '../secrets/mask/token-patterns.js';
import type { ConfigPath } from './config-path.js';
import { parseLeniently } from './document.js';
import type { Node } from './jsonc.js';
import { isSecretPath } from './mask.js';
import { ENV_NAME, referencedVariable } from './secret-input.js';

/** A key that secrets stand behind, and what follows it on its line; for text that is no JSON. */
const KEY_AND_REST =
  /((?:key|token|secret|password|passwd|authorization)["']?[ \t]*:)([^\r\n]*)/giu;

/**
 * A configuration text in which secrets are stars, to be shown. Everything else stands where it
 * stood: faults are pointed at by line and column. Also for text with faults: misspelt keys and
 * broken lines are where people make mistakes with secrets.
 */
export function maskConfigText(text: string): string {
  const { tree, errors } = parseLeniently(text);
  let masked = text;
  for (const { offset, length } of tree === undefined ? [] : secretNodes(tree, [])) {
    const inner = masked.slice(offset + 1, offset + length - 1);
    masked = `${masked.slice(0, offset + 1)}${stars(inner)}${masked.slice(offset + length - 1)}`;
  }
  if (tree === undefined || errors.length > 0) {
    masked = masked.replaceAll(KEY_AND_REST, (_, key: string, rest: string) => {
      return /^\s*(?:["']?(?:env:|\$\{)|\{)/u.test(rest) ? key + rest : key + starWords(rest);
    });
  }
  return TOKEN_PATTERNS.reduce(maskInPlace, masked);
}

function* secretNodes(node: Node, path: ConfigPath): Generator<Node> {
  for (const [at, child] of (node.children ?? []).entries()) {
    if (node.type !== 'object') {
      yield* secretNodes(child, [...path, at]);
      continue;
    }
    const [name, value] = child.children ?? [];
    if (value === undefined) continue;
    const below = [...path, String(name?.value)];
    if (value.type === 'string' && isShownAsStars(below, String(value.value))) yield value;
    yield* secretNodes(value, below);
  }
}

function isShownAsStars(path: ConfigPath, value: string): boolean {
  const variable = referencedVariable(value);
  if (variable !== undefined && ENV_NAME.test(variable)) return false;
  const parent = path.at(-2);
  return (
    isSecretPath(path) ||
    parent === 'headers' ||
    parent === 'env' ||
    SECRET_FIELD.test(String(path.at(-1)))
  );
}

function stars(text: string): string {
  return text.replaceAll(/[^\r\n]/gu, (character) => '*'.repeat(character.length));
}

/** Leaves what JSON is built of, so that the fault can still be seen. */
function starWords(text: string): string {
  return text.replaceAll(/[^\s"',[\]{}]+/gu, stars);
}

function maskInPlace(text: string, { form, left }: TokenPattern): string {
  return text.replaceAll(form, (match: string, before: unknown) => {
    const start = typeof before === 'string' ? before : '';
    const end = left.slice(left.indexOf(MASK) + MASK.length);
    return start + stars(match.slice(start.length, match.length - end.length)) + end;
  });
}

import { MASK } from '../secrets/mask/token-patterns.js';
import { type ConfigPath, isRecord } from './config-path.js';
import { type Node, type ParseError, parseTree } from './jsonc.js';
import { isSecretPath, maskSecrets } from './mask.js';
import { configSchema } from './schema/index.js';
import { schemasAt } from './schema/walk.js';

/** A configuration text that may be shown. */
export interface MaskedText {
  /** The same lines, with what may be secret in them masked. */
  readonly text: string;
  /** Where an offset of the original lies in the masked text. */
  readonly offsetOf: (offset: number) => number;
  /** What was masked, as it is written. */
  readonly hidden: ReadonlySet<string>;
}

interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

/**
 * Masks whatever in the text of a configuration may be a secret: values at secret places, values of
 * keys that the schema does not know (a mistyped `apiKey` holds one too), passwords in addresses and
 * what looks like a token in a comment. Where the text is no JSON every value is masked, because
 * nothing is known of its place. Keys, and with them the lines, stay.
 *
 * @param known what was masked in another version of the text, and is in this one too
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
  const comments = tokens.flatMap((token) => (token.kind === 'comment' ? inComment(token) : []));
  if (tree === undefined || errors.length > 0) {
    return [
      ...comments,
      ...tokens.flatMap((token) => (token.kind === 'value' ? hidden(token) : [])),
    ];
  }
  return [...comments, ...inTree({ text, known }, tree, [])];
}

interface Token {
  readonly kind: 'comment' | 'key' | 'value';
  readonly start: number;
  readonly text: string;
}

/** Strings also when they are not closed, comments, and whatever else is no bracket. */
const TOKEN = /\/\/[^\r\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:[^"\\\r\n]|\\.)*"?|[^\s{}[\],:"]+/gu;
const HARMLESS = /^(?:true|false|null)$/u;

function* tokensOf(text: string): Generator<Token> {
  for (const match of text.matchAll(TOKEN)) {
    const [token] = match;
    const isKey = /^".*"$/u.test(token) && /^\s*:/u.test(text.slice(match.index + token.length));
    const kind = /^\/[/*]/u.test(token) ? 'comment' : isKey ? 'key' : 'value';
    yield { kind, start: match.index, text: token };
  }
}

function hidden({ start, text }: Token): readonly Replacement[] {
  if (HARMLESS.test(text)) return [];
  return [{ start, end: start + text.length, by: JSON.stringify(MASK) }];
}

/** Settings are commented out with their values. */
const TOKEN_LIKE = /(?=[\w+/=.-]*\d)(?=[\w+/=.-]*[A-Za-z])[\w+/=.-]{16,}/gu;

function inComment({ start, text }: Token): readonly Replacement[] {
  return [...text.matchAll(TOKEN_LIKE)].map(({ 0: found, index }) => {
    return { start: start + index, end: start + index + found.length, by: MASK };
  });
}

/** A text, and what is masked in it wherever it stands. */
interface Masking {
  readonly text: string;
  readonly known: ReadonlySet<string>;
}

function inTree(masking: Masking, node: Node, path: ConfigPath): readonly Replacement[] {
  if (node.type === 'object') {
    return (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
      key === undefined || value === undefined
        ? []
        : inTree(masking, value, [...path, String(key.value)]),
    );
  }
  if (node.type === 'array') {
    return (node.children ?? []).flatMap((item, at) => inTree(masking, item, [...path, at]));
  }
  if (node.type === 'boolean' || node.type === 'null') return [];
  const span = { start: node.offset, end: node.offset + node.length };
  const written = masking.text.slice(span.start, span.end);
  if (isHidden(node.value, path) || masking.known.has(written)) {
    return [{ ...span, by: JSON.stringify(MASK) }];
  }
  const shown = written.replace(URL_PASSWORD, `$1${MASK}@`);
  return shown === written ? [] : [{ ...span, by: shown }];
}

const URL_PASSWORD = /(:\/\/)[^/@\s"]+@/u;

function isHidden(value: unknown, path: ConfigPath): boolean {
  if (isSecretPath(path)) return maskSecrets(value, path) === MASK;
  // Small numbers tell nothing, and are what people get wrong.
  if (typeof value === 'number' && Math.abs(value) < MOST_SHOWN) return false;
  return schemasAt(configSchema, path).length === 0;
}

const MOST_SHOWN = 1_000_000;

/** The plain-text secrets in the data of a configuration, wherever the schema has a secret. */
export function hasPlainSecret(data: unknown, path: ConfigPath = []): boolean {
  if (isSecretPath(path) && !isRecord(data)) return maskSecrets(data, path) === MASK;
  if (Array.isArray(data)) return data.some((item, at) => hasPlainSecret(item, [...path, at]));
  if (!isRecord(data)) return false;
  return Object.entries(data).some(([key, item]) => hasPlainSecret(item, [...path, key]));
}

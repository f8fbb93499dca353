import type { SourceLocation } from '../errors/index.js';
import { type ConfigFault, faultAt } from './config-fault.js';
import type { ConfigPath } from './config-path.js';
import {
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
  valueNode,
} from './jsonc.js';

/** A parsed configuration text with the locations of its values. */
export interface ConfigDocument {
  readonly file: string;
  readonly text: string;
  /** Undefined if there are {@link syntaxFaults}. */
  readonly value: unknown;
  /** Comments and trailing commas are allowed. */
  readonly syntaxFaults: readonly ConfigFault[];
  /** Duplicate keys of an object, and keys that no object can have. */
  readonly keyFaults: readonly ConfigFault[];
  /** Location of a path's value, or of the nearest enclosing value. */
  locate(path: ConfigPath): SourceLocation;
  /** Location of a path's key; like {@link locate} for list positions. */
  locateKey(path: ConfigPath): SourceLocation;
}

/** Parses configuration text. Does not throw. */
export function parseConfigText(file: string, text: string): ConfigDocument {
  const positionOf = textPositions(file, text);
  const parsed = parseLeniently(text);
  const { tree } = parsed;
  const syntax = syntaxFaults(text, positionOf, parsed);
  const usable = syntax.length === 0 && tree !== undefined;
  return {
    file,
    text,
    value: usable ? getNodeValue(tree) : undefined,
    syntaxFaults: syntax,
    keyFaults: usable ? findKeyFaults(tree, positionOf) : [],
    ...createLookUp(tree, positionOf),
  };
}

/** The parser and code that walks its tree are recursive. */
const MAX_DEPTH = 256;

/** Parses as much of a text as possible; no tree if it is nested too deeply. */
export function parseLeniently(text: string) {
  if (nestingDepth(text) > MAX_DEPTH) return { tree: undefined, errors: [], tooDeep: true };
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  return { tree, errors, tooDeep: false };
}

/** Unclosed strings and comments end where the parser ends them. */
const NO_BRACKETS = /"(?:[^"\\\r\n]|\\[\s\S])*"?|\/\/.*|\/\*[\s\S]*?(?:\*\/|$)|[^{}[\]"/]+/gu;

/** Nesting depth, ignoring brackets in strings and comments. */
function nestingDepth(text: string): number {
  const brackets = text.replace(NO_BRACKETS, '');
  let depth = 0;
  let deepest = 0;
  for (const bracket of brackets) {
    if (bracket === '{' || bracket === '[') deepest = Math.max(deepest, ++depth);
    else if (bracket === '}' || bracket === ']') depth--;
  }
  return deepest;
}

function findKeyFaults(root: Node, positionOf: TextPositions): ConfigFault[] {
  const faults: ConfigFault[] = [];
  const visit = (node: Node, path: ConfigPath): void => {
    const seen = new Map<string, Node>();
    for (const [at, child] of (node.children ?? []).entries()) {
      if (node.type !== 'object') {
        visit(child, [...path, at]);
        continue;
      }
      const [name, value] = child.children ?? [];
      if (name === undefined || value === undefined) continue;
      const key = String(name.value);
      const keyPath = [...path, key];
      const location = positionOf(name.offset);
      // A map of names would accept it and then lose it.
      if (key === '__proto__') {
        const message = '"__proto__" cannot be a key';
        faults.push(
          faultAt('unknown-key', keyPath, location, { message, expected: 'another name' }),
        );
      }
      const first = seen.get(key);
      if (first === undefined) seen.set(key, name);
      else faults.push(duplicateFault(keyPath, location, positionOf(first.offset)));
      visit(value, keyPath);
    }
  };
  visit(root, []);
  return faults;
}

function duplicateFault(
  path: ConfigPath,
  second: SourceLocation,
  first: SourceLocation,
): ConfigFault {
  return faultAt('duplicate-key', path, second, {
    message: `duplicate key ${JSON.stringify(path.at(-1))}, first on line ${first.line}`,
    expected: 'each key only once',
    related: [first],
  });
}

function createLookUp(
  root: Node | undefined,
  positionOf: TextPositions,
): Pick<ConfigDocument, 'locate' | 'locateKey'> {
  // Cached, since a file with thousands of faults looks up thousands of places.
  const listings = new WeakMap<Node, ReadonlyMap<string | number, Node>>();
  const listingOf = (node: Node): ReadonlyMap<string | number, Node> => {
    const known = listings.get(node);
    if (known !== undefined) return known;
    const listing = listChildren(node);
    listings.set(node, listing);
    return listing;
  };
  /** The property (for a key) or item (for a position) nearest to the path. */
  const nearest = (path: ConfigPath): Node | undefined => {
    let node = root;
    for (const segment of path) {
      const next: Node | undefined =
        node === undefined ? undefined : listingOf(valueNode(node) ?? node).get(segment);
      if (next === undefined) break;
      node = next;
    }
    return node;
  };
  return {
    locate(path) {
      const node = nearest(path);
      return positionOf(node === undefined ? 0 : (valueNode(node) ?? node).offset);
    },
    locateKey: (path) => positionOf(nearest(path)?.offset ?? 0),
  };
}

function listChildren(node: Node): ReadonlyMap<string | number, Node> {
  const children = node.children ?? [];
  if (node.type === 'array') return new Map(children.entries());
  return new Map(children.map((property) => [String(property.children?.[0]?.value), property]));
}

/** Converts 0-based offsets to 1-based lines and columns, in UTF-16 code units, as editors count. */
type TextPositions = (offset: number) => SourceLocation;

/** Lines end with `\n`, `\r\n` or a lone `\r`. */
export function textPositions(file: string, text: string): TextPositions {
  const starts = lineStarts(text);
  return (offset) => {
    const line = lastAtMost(starts, offset);
    return { file, line: line + 1, column: offset - (starts[line] ?? 0) + 1 };
  };
}

/** The offset of each line. */
function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 10 || (unit === 13 && text.charCodeAt(at + 1) !== 10)) starts.push(at + 1);
  }
  return starts;
}

/** Index of the last number not above the limit, in an ascending list starting with 0. */
function lastAtMost(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((ascending[middle] ?? 0) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** One fault per place. */
function syntaxFaults(
  text: string,
  positionOf: TextPositions,
  { errors, tooDeep }: Omit<ReturnType<typeof parseLeniently>, 'tree'>,
): readonly ConfigFault[] {
  const faultOf = (offset: number, message: string, expected?: string): ConfigFault =>
    faultAt('syntax', [], positionOf(offset), { message, expected });
  if (tooDeep) return [faultOf(0, 'objects and lists are nested too deeply')];
  if (isBlankJson(text)) {
    return [faultOf(0, 'the file is empty', 'at least {}; "svc config init" creates one')];
  }
  const faults = new Map<number, ConfigFault>();
  let end = -1;
  for (const { error, offset, length } of errors) {
    const code = printParseErrorCode(error);
    // Invalid JSON is also reported as a missing value; once is enough.
    const isEcho = code === 'ValueExpected' && end >= 0 && text.slice(end, offset).trim() === '';
    end = offset + length;
    if (isEcho || faults.has(offset)) continue;
    const [message, expected] = SYNTAX[code] ?? ['this is not JSON', undefined];
    faults.set(offset, faultOf(offset, message, expected));
  }
  return [...faults.values()];
}

/** Whether a JSON text contains only white space and comments. */
export function isBlankJson(text: string): boolean {
  return /^(?:\s|\/\/[^\r\n]*(?![^\r\n])|\/\*[^*]*(?:\*(?!\/)[^*]*)*\*\/)*$/u.test(text);
}

/** Syntax errors by the parser's code: what is wrong, and what is expected. */
const SYNTAX: Readonly<Record<string, readonly [message: string, expected: string]>> = {
  InvalidSymbol: ['this word is not JSON', 'text in double quotes, a number, true, false or null'],
  InvalidNumberFormat: ['this is not a number', 'digits like 1, 0.5 or 1e3'],
  PropertyNameExpected: ['a key is missing', 'a key in double quotes'],
  ValueExpected: ['a value is missing', 'a value'],
  ColonExpected: ['a colon is missing', '":" between key and value'],
  CommaExpected: ['a comma is missing', '"," between two entries'],
  CloseBraceExpected: ['an object is not closed', '"}"'],
  CloseBracketExpected: ['a list is not closed', '"]"'],
  EndOfFileExpected: ['there is text after the end of the configuration', 'one object'],
  UnexpectedEndOfComment: ['a comment is not closed', '"*/"'],
  UnexpectedEndOfString: ['a string is not closed', 'a double quote on the same line'],
  UnexpectedEndOfNumber: ['a number is incomplete', 'another digit'],
  InvalidUnicode: ['a \\u escape is incomplete', 'four hexadecimal digits'],
  InvalidEscapeCharacter: ['JSON does not have this escape', '\\\\ for a backslash'],
  InvalidCharacter: ['a string contains a control character', 'an escape like \\n or \\t'],
};

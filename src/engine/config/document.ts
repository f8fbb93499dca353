import type { SourceLocation } from '../errors/index.js';
import { type ConfigPath, formatPath } from './config-path.js';
import type { ConfigFault } from './fault.js';
import { getNodeValue, type Node, type ParseError, parseTree } from './jsonc.js';
import { createTextPositions, type TextPositions } from './source-text.js';
import { syntaxFaults } from './syntax-fault.js';

/** A configuration text, read as data that knows where it was written. */
export interface ConfigDocument {
  readonly file: string;
  readonly text: string;
  /** The plain data; undefined when {@link syntaxFaults} is not empty. */
  readonly value: unknown;
  /** Every place where the text is not JSON (comments and trailing commas are). */
  readonly syntaxFaults: readonly ConfigFault[];
  /** Keys written twice in one object. */
  readonly duplicateFaults: readonly ConfigFault[];
  /** Where a path's value begins; the nearest enclosing one when the path is not written. */
  locate(path: ConfigPath): SourceLocation;
  /** Where a path's key begins; like {@link locate} for list positions. */
  locateKey(path: ConfigPath): SourceLocation;
}

/** Reads configuration text. Never throws: what is wrong is in the faults. */
export function parseConfigText(file: string, text: string): ConfigDocument {
  const positions = createTextPositions(file, text);
  const { tree, errors, tooDeep } = parseLeniently(text);
  const lookUp = createLookUp(tree, positions);
  const syntax = syntaxFaults({ text, positions, errors, tooDeep });
  const usable = syntax.length === 0 && tree !== undefined;
  return {
    file,
    text,
    value: usable ? getNodeValue(tree) : undefined,
    syntaxFaults: syntax,
    duplicateFaults: usable ? findDuplicates(tree, positions) : [],
    ...lookUp,
  };
}

interface LenientParse {
  readonly tree: Node | undefined;
  readonly errors: readonly ParseError[];
  readonly tooDeep: boolean;
}

/** The parser and the readers of its tree recurse, so nesting has to stay far below the stack. */
const MAX_DEPTH = 256;

/** The tree of a text as far as it can be read; none where it is nested too deeply. */
export function parseLeniently(text: string): LenientParse {
  if (nestingDepth(text) > MAX_DEPTH) return { tree: undefined, errors: [], tooDeep: true };
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  return { tree, errors, tooDeep: false };
}

/** How deep objects and lists are nested; brackets in strings and comments do not count. */
function nestingDepth(text: string): number {
  const brackets = text.replace(/"(?:[^"\\\n]|\\.)*"|\/\/.*|\/\*[\s\S]*?\*\/|[^{}[\]"/]+/gu, '');
  let depth = 0;
  let deepest = 0;
  for (const bracket of brackets) {
    if (bracket === '{' || bracket === '[') deepest = Math.max(deepest, ++depth);
    else if (bracket === '}' || bracket === ']') depth--;
  }
  return deepest;
}

function findDuplicates(root: Node, positions: TextPositions): ConfigFault[] {
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
      const first = seen.get(key);
      if (first === undefined) seen.set(key, name);
      else
        faults.push(
          duplicateFault([...path, key], positions.at(name.offset), positions.at(first.offset)),
        );
      visit(value, [...path, key]);
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
  return {
    severity: 'fault',
    code: 'duplicate-key',
    path: formatPath(path),
    location: second,
    message: `${JSON.stringify(path.at(-1))} is written twice, first on line ${first.line}`,
    expected: 'each key once',
    related: [first],
  };
}

function createLookUp(
  root: Node | undefined,
  positions: TextPositions,
): Pick<ConfigDocument, 'locate' | 'locateKey'> {
  // A file with thousands of faults asks for thousands of places; each object is listed once.
  const listings = new WeakMap<Node, ReadonlyMap<string | number, Node>>();
  const listingOf = (node: Node): ReadonlyMap<string | number, Node> => {
    const known = listings.get(node);
    if (known !== undefined) return known;
    const listing = listChildren(node);
    listings.set(node, listing);
    return listing;
  };
  /** The property node (for a key) or item node (for a position) nearest to the path. */
  const nearest = (path: ConfigPath): Node | undefined => {
    let node = root;
    for (const segment of path) {
      const next: Node | undefined =
        node === undefined ? undefined : listingOf(valueNode(node)).get(segment);
      if (next === undefined) break;
      node = next;
    }
    return node;
  };
  return {
    locate(path) {
      const node = nearest(path);
      return positions.at(node === undefined ? 0 : valueNode(node).offset);
    },
    locateKey: (path) => positions.at(nearest(path)?.offset ?? 0),
  };
}

function listChildren(node: Node): ReadonlyMap<string | number, Node> {
  const children = node.children ?? [];
  if (node.type === 'array') return new Map(children.entries());
  return new Map(children.map((property) => [String(property.children?.[0]?.value), property]));
}

/** The value of a property node; any other node is its own value. */
function valueNode(node: Node): Node {
  return node.type === 'property' ? (node.children?.[1] ?? node) : node;
}

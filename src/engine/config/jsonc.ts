// The package's main entry is UMD, which bundlers cannot follow; this is its ES build.
import {
  applyEdits,
  findNodeAtLocation,
  type JSONPath,
  modify,
  type Node,
  parseTree,
} from 'jsonc-parser/lib/esm/main.js';
import type { ConfigPath } from './config-path.js';

export {
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser/lib/esm/main.js';

/** The tree of a JSON text; undefined if empty. */
export function treeOf(text: string): Node | undefined {
  return parseTree(text, [], { allowTrailingComma: true, allowEmptyContent: true });
}

/** The property (for a key) or item (for a position) of an object or list. */
export function entryOf(container: Node, segment: string | number): Node | undefined {
  const children: readonly Node[] = container.children ?? [];
  if (container.type === 'array') {
    return typeof segment === 'number' ? children[segment] : undefined;
  }
  if (container.type !== 'object') return undefined;
  return children.find((property) => property.children?.[0]?.value === segment);
}

/** The value of a property; other nodes are their own value. */
export function valueNode(entry: Node): Node | undefined {
  return entry.type === 'property' ? entry.children?.[1] : entry;
}

/** The node at a path. */
export function nodeAt(text: string, path: ConfigPath): Node | undefined {
  const tree = treeOf(text);
  return tree && findNodeAtLocation(tree, [...path]);
}

export function endOf(node: Node): number {
  return node.offset + node.length;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Removes one key or list item with its comma. Keeps all comments. The text must be valid; a
 * missing path changes nothing.
 *
 * The parser's own removal also deletes comments between neighbors, and leaves a lone comma after
 * the last entry.
 */
export function removeValue(text: string, path: ConfigPath): string {
  const found = findEntry(text, path);
  if (found === undefined) return text;
  const { entry, previous } = found;
  const own: Span = { start: entry.offset, end: endOf(entry) };
  const comma = commaAfter(text, own.end) ?? (previous && commaAfter(text, endOf(previous)));
  const spans = comma === undefined ? [own] : [own, { start: comma, end: comma + 1 }];
  // From the end, so that earlier offsets stay valid.
  return spans.toSorted((a, b) => b.start - a.start).reduce((rest, span) => cut(rest, span), text);
}

interface FoundEntry {
  readonly entry: Node;
  readonly previous: Node | undefined;
}

function findEntry(text: string, path: ConfigPath): FoundEntry | undefined {
  const segment = path.at(-1);
  const container = nodeAt(text, path.slice(0, -1));
  if (segment === undefined || container === undefined) return undefined;
  const entry = entryOf(container, segment);
  const siblings: readonly Node[] = container.children ?? [];
  return entry && { entry, previous: siblings[siblings.indexOf(entry) - 1] };
}

/** Offset of the comma after white space and comments. */
function commaAfter(text: string, offset: number): number | undefined {
  const gap = /(?:\s|\/\/[^\r\n]*(?![^\r\n])|\/\*[^*]*(?:\*(?!\/)[^*]*)*\*\/)*,/uy;
  gap.lastIndex = offset;
  return gap.test(text) ? gap.lastIndex - 1 : undefined;
}

/** Removes a span, including its lines if nothing else is on them. */
function cut(text: string, { start, end }: Span): string {
  const before = text.slice(0, start);
  const after = text.slice(end);
  const indent = /(?:^|[\r\n])([ \t]*)$/u.exec(before)?.[1];
  const lineEnd = /^[ \t]*(?:\r\n|\r|\n)/u.exec(after)?.[0];
  if (indent === undefined || lineEnd === undefined) return before + after;
  return before.slice(0, before.length - indent.length) + after.slice(lineEnd.length);
}

/**
 * Sets one value (or removes it, if undefined). Keeps comments and everything else; new lines
 * follow the indentation and line ends of the text.
 */
export function editConfigText(text: string, path: ConfigPath, value: unknown): string {
  if (value === undefined) return removeValue(text, path);
  const jsonPath: JSONPath = [...path];
  const edits = modify(text, jsonPath, value, { formattingOptions: formattingOf(text) });
  return applyEdits(text, edits);
}

function formattingOf(text: string): { insertSpaces: boolean; tabSize: number; eol: string } {
  const indent = /^([ \t]+)\S/mu.exec(text)?.[1] ?? '  ';
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
}

/**
 * Renames one key and keeps everything else. The text must be valid; a missing path changes
 * nothing.
 */
export function renameKey(text: string, path: ConfigPath, name: string): string {
  const key = findEntry(text, path)?.entry.children?.[0];
  if (typeof path.at(-1) !== 'string' || key === undefined) return text;
  return text.slice(0, key.offset) + JSON.stringify(name) + text.slice(key.offset + key.length);
}

// The package's main entry is UMD, which bundlers cannot follow; this is its ES build.
import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser/lib/esm/main.js';
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
  return parseTree(text);
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

/** The texts, numbers and other plain values of a tree, with their paths. */
export function* leavesOf(
  node: Node,
  path: ConfigPath = [],
): Generator<{ readonly node: Node; readonly path: ConfigPath }> {
  if (node.type !== 'object' && node.type !== 'array') yield { node, path };
  for (const [at, child] of (node.children ?? []).entries()) {
    const value = valueNode(child);
    const segment = node.type === 'object' ? String(child.children?.[0]?.value) : at;
    if (value !== undefined) yield* leavesOf(value, [...path, segment]);
  }
}

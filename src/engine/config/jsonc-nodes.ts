import type { ConfigPath } from './config-path.js';
import { type Node, parseTree } from './jsonc.js';

/** The tree of a JSON text; undefined where it is empty. */
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

/** The value of a property; any other node is its own value. */
export function valueNode(entry: Node): Node | undefined {
  return entry.type === 'property' ? entry.children?.[1] : entry;
}

/** The value at a path; undefined where it is not written. */
export function nodeAt(text: string, path: ConfigPath): Node | undefined {
  let node = treeOf(text);
  for (const segment of path) {
    const entry: Node | undefined = node === undefined ? undefined : entryOf(node, segment);
    node = entry === undefined ? undefined : valueNode(entry);
  }
  return node;
}

/** Where a node ends. */
export function endOf(node: Node): number {
  return node.offset + node.length;
}

import type { ConfigPath } from '../config-path.js';
import { type Node, parseTree } from '../jsonc.js';

/**
 * The text with one key under another name; its value, comments and everything else stay. The text
 * must be valid; a path that is not in it changes nothing.
 */
export function renameKey(text: string, path: ConfigPath, name: string): string {
  const key = findKey(text, path);
  if (key === undefined) return text;
  return text.slice(0, key.offset) + JSON.stringify(name) + text.slice(key.offset + key.length);
}

function findKey(text: string, path: ConfigPath): Node | undefined {
  let node: Node | undefined = parseTree(text, [], { allowTrailingComma: true });
  let key: Node | undefined;
  for (const segment of path) {
    const children: readonly Node[] = node?.children ?? [];
    if (typeof segment === 'number') {
      node = children[segment];
      key = undefined;
      continue;
    }
    const property: Node | undefined = children.find(
      (child) => child.children?.[0]?.value === segment,
    );
    key = property?.children?.[0];
    node = property?.children?.[1];
  }
  return key;
}

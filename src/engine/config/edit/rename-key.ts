import type { ConfigPath } from '../config-path.js';
import type { Node } from '../jsonc.js';
import { entryOf, nodeAt } from '../jsonc-nodes.js';

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
  const name = path.at(-1);
  const container = nodeAt(text, path.slice(0, -1));
  if (typeof name !== 'string' || container === undefined) return undefined;
  return entryOf(container, name)?.children?.[0];
}

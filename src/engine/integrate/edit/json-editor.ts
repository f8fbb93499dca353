import { type ConfigPath, formatPath } from '../../config/config-path.js';
import { parseConfigText } from '../../config/document.js';
import { removeValue } from '../../config/edit/remove-value.js';
import type { ConfigFault } from '../../config/fault.js';
import type { Node } from '../../config/jsonc.js';
import { endOf, entryOf, nodeAt, treeOf, valueNode } from '../../config/jsonc-nodes.js';
import { isBlankJson } from '../../config/syntax-fault.js';
import { SvcError } from '../../errors/index.js';
import type { DocumentEditor, EntryValue } from './document-editor.js';
import { HIDDEN } from './hidden.js';
import { withInsertions } from './insertion.js';
import { jsonInsertions, jsonText } from './json-insert.js';
import { indentAt, layoutOf } from './layout.js';

/** Edits JSON, with comments and trailing commas where a file has them. */
export const jsonEditor: DocumentEditor = {
  read(file, text) {
    if (isBlankJson(text)) return {};
    const { syntaxFaults, value } = parseConfigText(file, text);
    const [fault] = syntaxFaults;
    if (fault !== undefined) throw broken(file, fault);
    return value;
  },
  insert: jsonInsertions,
  setKeys(text, path, values) {
    return Object.entries(values).reduce(
      (edited, [key, value]) => withKey(edited, [...path, key], value),
      text,
    );
  },
  remove: removeValue,
  isBare(text, path) {
    const node = nodeAt(text, path);
    if (node === undefined || (node.type !== 'object' && node.type !== 'array')) return false;
    return text.slice(node.offset + 1, endOf(node) - 1).trim() === '';
  },
  locate: (file, text, path) => parseConfigText(file, text).locateKey(path),
  hideOthers(text, shown) {
    const tree = treeOf(text);
    if (tree === undefined) return text;
    let result = '';
    let end = 0;
    for (const node of hiddenNodes(tree, shown)) {
      result += `${text.slice(end, node.offset)}${JSON.stringify(HIDDEN)}`;
      end = endOf(node);
    }
    return result + text.slice(end);
  },
};

function broken(file: string, fault: ConfigFault): SvcError {
  const expected = fault.expected === undefined ? '' : `expected ${fault.expected}; `;
  return new SvcError('INTEGRATION_FILE_INVALID', `${file} is broken: ${fault.message}`, {
    hint: `${expected}mend it by hand; nothing was written`,
    location: fault.location,
  });
}

function withKey(text: string, path: ConfigPath, value: EntryValue | undefined): string {
  if (value === undefined) return removeValue(text, path);
  const container = nodeAt(text, path.slice(0, -1));
  const entry = container === undefined ? undefined : entryOf(container, path.at(-1) ?? '');
  const node = entry === undefined ? undefined : valueNode(entry);
  if (node === undefined) {
    return withInsertions(text, jsonInsertions(formatPath(path), text, path, value));
  }
  const written = jsonText(value, layoutOf(text), indentAt(text, node.offset));
  return text.slice(0, node.offset) + written + text.slice(endOf(node));
}

/** Texts and numbers that are not at or below a path, in the order of the text. */
function* hiddenNodes(node: Node, shown: ConfigPath | undefined): Generator<Node> {
  if (shown?.length === 0) return;
  if (node.type === 'string' || node.type === 'number') yield node;
  for (const [at, child] of (node.children ?? []).entries()) {
    const segment = node.type === 'object' ? child.children?.[0]?.value : at;
    const value = valueNode(child);
    if (value === undefined) continue;
    yield* hiddenNodes(value, shown?.[0] === segment ? shown?.slice(1) : undefined);
  }
}

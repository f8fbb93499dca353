import type { ConfigFault } from '../../config/authoring.js';
import {
  endOf,
  entryOf,
  isBlankJson,
  type Node,
  nodeAt,
  type ParseError,
  parseConfigText,
  parseTree,
  removeValue,
  textPositions,
  treeOf,
  valueNode,
} from '../../config/authoring.js';
import { type ConfigPath, formatPath } from '../../config/index.js';
import { SvcError } from '../../errors/index.js';
import {
  beginsLine,
  type DocumentEditor,
  type EntryValue,
  HIDDEN,
  type Insertion,
  indentAt,
  type Layout,
  layoutOf,
  withInsertions,
} from './document-editor.js';

/**
 * What to insert to add a value at a path. The edit function of the parser formats the whole line, which
 * in minified files is the whole file.
 *
 * @throws SvcError INTEGRATION_FILE_INVALID
 */
function jsonInsertions(
  file: string,
  text: string,
  path: ConfigPath,
  value: EntryValue,
): readonly Insertion[] {
  const layout = layoutOf(text);
  const root = treeOf(text);
  if (root === undefined) return [newDocument(text, layout, nested(path, value))];
  let container = root;
  let depth = 0;
  for (; depth < path.length - 1; depth++) {
    const entry = entryOf(container, path[depth] ?? '');
    const next = entry === undefined ? undefined : valueNode(entry);
    if (next === undefined) break;
    container = next;
  }
  const segment = path[depth] ?? '';
  const expected = typeof segment === 'number' ? 'array' : 'object';
  if (container.type !== expected) {
    throw notA(file, text, { container, path: path.slice(0, depth), expected });
  }
  const key = typeof segment === 'number' ? undefined : segment;
  const child = { key, value: nested(path.slice(depth + 1), value) };
  return appended(text, layout, container, child);
}

function jsonText(value: EntryValue, layout: Layout, indent: string): string {
  if (layout.isMinified) return JSON.stringify(value);
  return JSON.stringify(value, null, layout.unit).replaceAll('\n', `${layout.eol}${indent}`);
}

function nested(path: ConfigPath, value: EntryValue): EntryValue {
  return path.reduceRight<EntryValue>(
    (inner, segment) => (typeof segment === 'number' ? [inner] : { [segment]: inner }),
    value,
  );
}

/** For a text that is empty or has only comments. */
function newDocument(text: string, layout: Layout, value: EntryValue): Insertion {
  const gap = text === '' || /[\r\n]$/u.test(text) ? '' : layout.eol;
  return { offset: text.length, text: `${gap}${jsonText(value, layout, '')}${layout.eol}` };
}

interface Child {
  /** Undefined in a list. */
  readonly key: string | undefined;
  readonly value: EntryValue;
}

function appended(
  text: string,
  layout: Layout,
  container: Node,
  child: Child,
): readonly Insertion[] {
  const close = endOf(container) - 1;
  const last = container.children?.at(-1);
  const from = last === undefined ? container.offset + 1 : endOf(last);
  const tail = tailOf(text, from, close);
  const outer = indentAt(text, container.offset);
  const indent =
    last !== undefined && beginsLine(text, last.offset)
      ? indentAt(text, last.offset)
      : outer + layout.unit;
  const name = child.key === undefined ? '' : JSON.stringify(child.key);
  const colon = child.key === undefined ? '' : layout.isMinified ? ':' : ': ';
  const written = `${name}${colon}${jsonText(child.value, layout, indent)}`;
  const before = layout.isMinified ? '' : `${layout.eol}${indent}`;
  const closesLine = /[\r\n]/u.test(text.slice(tail.end, close));
  const after = layout.isMinified || closesLine ? '' : `${layout.eol}${outer}`;
  const body = `${before}${written}${tail.hasComma ? ',' : ''}${after}`;
  if (last === undefined || tail.hasComma) return [{ offset: tail.end, text: body }];
  // A comment after the last entry stays with it.
  if (tail.end === from) return [{ offset: from, text: `,${body}` }];
  return [
    { offset: from, text: ',' },
    { offset: tail.end, text: body },
  ];
}

/** Whether a comma follows the last entry, and where the last comma or comment ends. */
function tailOf(
  text: string,
  from: number,
  close: number,
): { readonly hasComma: boolean; readonly end: number } {
  const token = /\s+|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/|,/uy;
  let hasComma = false;
  let end = from;
  token.lastIndex = from;
  while (token.lastIndex < close) {
    const found = token.exec(text)?.[0];
    if (found === undefined) break;
    if (found === ',') hasComma = true;
    if (found.trim() !== '') end = token.lastIndex;
  }
  return { hasComma, end };
}

function notA(
  file: string,
  text: string,
  found: {
    readonly container: Node;
    readonly path: ConfigPath;
    readonly expected: 'array' | 'object';
  },
): SvcError {
  const what = found.path.length === 0 ? 'the file' : formatPath(found.path);
  const kind = found.expected === 'array' ? 'a list' : 'an object';
  return new SvcError('INTEGRATION_FILE_INVALID', `${what} is not ${kind} in ${file}`, {
    hint: 'fix the file by hand; nothing was written',
    location: textPositions(file, text)(found.container.offset),
  });
}

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

/** For an agent that accepts comments but no trailing commas. */
export function withoutTrailingCommas(editor: DocumentEditor): DocumentEditor {
  return {
    ...editor,
    read(file, text) {
      const data = editor.read(file, text);
      const errors: ParseError[] = [];
      parseTree(text, errors, { allowTrailingComma: false, allowEmptyContent: true });
      const [first] = errors;
      if (first === undefined) return data;
      throw new SvcError('INTEGRATION_FILE_INVALID', `${file} has a trailing comma`, {
        hint: 'remove the comma, which the agent does not accept; nothing was written',
        location: textPositions(file, text)(first.offset),
      });
    },
  };
}

function broken(file: string, fault: ConfigFault): SvcError {
  const expected = fault.expected === undefined ? '' : `expected ${fault.expected}; `;
  return new SvcError('INTEGRATION_FILE_INVALID', `${file} is not valid: ${fault.message}`, {
    hint: `${expected}fix the file by hand; nothing was written`,
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

/** Strings and numbers outside of a path, in the order of the text. */
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

import { type ConfigPath, formatPath } from '../../config/config-path.js';
import type { Node } from '../../config/jsonc.js';
import { endOf, entryOf, treeOf, valueNode } from '../../config/jsonc-nodes.js';
import { createTextPositions } from '../../config/source-text.js';
import { SvcError } from '../../errors/index.js';
import type { EntryValue } from './document-editor.js';
import type { Insertion } from './insertion.js';
import { beginsLine, indentAt, type Layout, layoutOf } from './layout.js';

/**
 * What to insert so that a value stands at a path of a JSON text. The parser's own way to do it
 * formats the whole line that it writes on, which is the whole file where a program wrote it.
 *
 * @throws SvcError INTEGRATION_FILE_INVALID
 */
export function jsonInsertions(
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

/** A value as it is written, its further lines indented. */
export function jsonText(value: EntryValue, layout: Layout, indent: string): string {
  if (layout.isMinified) return JSON.stringify(value);
  return JSON.stringify(value, null, layout.unit).replaceAll('\n', `${layout.eol}${indent}`);
}

function nested(path: ConfigPath, value: EntryValue): EntryValue {
  return path.reduceRight<EntryValue>(
    (inner, segment) => (typeof segment === 'number' ? [inner] : { [segment]: inner }),
    value,
  );
}

/** A text that holds nothing, or comments alone. */
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
  // A comment that follows the last entry stays with it.
  if (tail.end === from) return [{ offset: from, text: `,${body}` }];
  return [
    { offset: from, text: ',' },
    { offset: tail.end, text: body },
  ];
}

/** What follows the last entry: its comma, and where the last comma or comment ends. */
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
    hint: 'mend it by hand; nothing was written',
    location: createTextPositions(file, text).at(found.container.offset),
  });
}

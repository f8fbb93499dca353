import { SvcError } from '../errors/index.js';
import { type Insertion, withInsertions } from '../support/insertions.js';
import { eolOf } from '../support/text.js';
import { type ConfigPath, formatPath } from './config-path.js';
import { endOf, entryOf, type Node, nodeAt, treeOf, valueNode } from './jsonc.js';

/*
 * Edits of JSON texts that keep everything else: comments, order, indentation and line ends. The parser's
 * own edits format the whole line, which in minified files is the whole file, move the comment of the last
 * entry, delete comments between removed neighbors, and leave a lone comma after the last entry.
 */

/**
 * Sets one value, or removes it if undefined. A position after the last item of a list appends to it. The
 * text must be valid.
 *
 * @throws SvcError CONFIG_INVALID where a parent is not an object or list
 */
export function editJson(text: string, path: ConfigPath, value: unknown): string {
  if (value === undefined) {
    // A key can be there twice, and the last one counts.
    const without = removeValue(text, path);
    return typeof path.at(-1) === 'number' || without === text
      ? without
      : editJson(without, path, undefined);
  }
  const node = nodeAt(text, path);
  if (node !== undefined) {
    const replacement = jsonText(value, layoutOf(text), indentAt(text, node.offset));
    return text.slice(0, node.offset) + replacement + text.slice(endOf(node));
  }
  const insertions = jsonInsertions(text, path, value, ({ path: parent, kind }) => {
    return new SvcError('CONFIG_INVALID', `${formatPath(parent)} is not ${kind}`, {
      hint: 'nothing was written; fix the file by hand',
    });
  });
  return withInsertions(text, insertions);
}

/** A value that cannot contain what is to be added. */
export interface Misfit {
  readonly node: Node;
  readonly path: ConfigPath;
  readonly kind: 'a list' | 'an object';
}

/**
 * What to insert to add a value at a new path. A number at the end of the path appends to a list.
 *
 * @throws the error of `misfit` where a parent is not an object or list
 */
export function jsonInsertions(
  text: string,
  path: ConfigPath,
  value: unknown,
  misfit: (found: Misfit) => SvcError,
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
  const key = typeof segment === 'number' ? undefined : segment;
  if (container.type !== (key === undefined ? 'array' : 'object')) {
    const kind = key === undefined ? 'a list' : 'an object';
    throw misfit({ node: container, path: path.slice(0, depth), kind });
  }
  const child = { key, value: nested(path.slice(depth + 1), value) };
  return childInsertions(text, layout, container, child);
}

/** For a text that is empty or has only comments. */
function newDocument(text: string, layout: Layout, value: unknown): Insertion {
  const gap = text === '' || /[\r\n]$/u.test(text) ? '' : layout.eol;
  return { offset: text.length, text: `${gap}${jsonText(value, layout, '')}${layout.eol}` };
}

function nested(path: ConfigPath, value: unknown): unknown {
  return path.reduceRight(
    (inner, segment) => (typeof segment === 'number' ? [inner] : { [segment]: inner }),
    value,
  );
}

function jsonText(value: unknown, layout: Layout, indent: string): string {
  if (layout.isMinified) return JSON.stringify(value);
  return JSON.stringify(value, null, layout.unit).replaceAll('\n', `${layout.eol}${indent}`);
}

interface Child {
  /** Undefined in a list. */
  readonly key: string | undefined;
  readonly value: unknown;
}

function childInsertions(
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
  const gapsAround = (entry: string): { readonly before: string; readonly after: string } => {
    if (layout.isMinified) return { before: '', after: '' };
    const isOneLine = !/[\r\n]/u.test(text.slice(container.offset, close) + entry);
    if (last !== undefined && isOneLine) return { before: ' ', after: '' };
    const closesLine = /[\r\n]/u.test(text.slice(tail.end, close));
    return { before: `${layout.eol}${indent}`, after: closesLine ? '' : `${layout.eol}${outer}` };
  };
  const name = child.key === undefined ? '' : JSON.stringify(child.key);
  const colon = child.key === undefined ? '' : layout.isMinified ? ':' : ': ';
  const written = `${name}${colon}${jsonText(child.value, layout, indent)}`;
  const { before, after } = gapsAround(written);
  const body = `${before}${written}${tail.hasComma ? ',' : ''}${after}`;
  // Blanks before the bracket stay before a line break, after which they would indent it.
  const offset = after === '' ? tail.end : close;
  if (last === undefined || tail.hasComma) return [{ offset, text: body }];
  // A comment after the last entry stays with it.
  if (offset === from) return [{ offset, text: `,${body}` }];
  return [
    { offset: from, text: ',' },
    { offset, text: body },
  ];
}

/** Whether a comma follows the last entry, and where the last comma or comment ends. */
function tailOf(text: string, from: number, close: number) {
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

interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Removes one key or list item with its comma. Keeps all comments. The text must be valid; a
 * missing path changes nothing.
 */
export function removeValue(text: string, path: ConfigPath): string {
  const found = findEntry(text, path);
  if (found === undefined) return text;
  const { entry, previous, next, container } = found;
  const [open, close] = [container.offset + 1, endOf(container) - 1];
  const rest = text.slice(open, entry.offset) + text.slice(endOf(entry), close);
  if (/^[\s,]*$/u.test(rest)) return text.slice(0, open) + text.slice(close);
  const isNext = (from: Node, to: Node) =>
    /^[ \t]*,[ \t]*$/u.test(text.slice(endOf(from), to.offset));
  if (next !== undefined && isNext(entry, next)) {
    return text.slice(0, entry.offset) + text.slice(next.offset);
  }
  if (previous !== undefined && isNext(previous, entry)) {
    return text.slice(0, endOf(previous)) + text.slice(endOf(entry));
  }
  const entrySpan: Span = { start: entry.offset, end: endOf(entry) };
  const comma = commaAfter(text, entrySpan.end) ?? (previous && commaAfter(text, endOf(previous)));
  const spans = comma === undefined ? [entrySpan] : [entrySpan, { start: comma, end: comma + 1 }];
  // From the end, so that earlier offsets stay valid.
  return spans.toSorted((a, b) => b.start - a.start).reduce((rest, span) => cut(rest, span), text);
}

function findEntry(text: string, path: ConfigPath) {
  const segment = path.at(-1);
  const container = nodeAt(text, path.slice(0, -1));
  if (segment === undefined || container === undefined) return undefined;
  const entry = entryOf(container, segment);
  const siblings: readonly Node[] = container.children ?? [];
  if (entry === undefined) return undefined;
  const at = siblings.indexOf(entry);
  return { container, entry, previous: siblings[at - 1], next: siblings[at + 1] };
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
 * Renames one key and keeps everything else. The text must be valid; a missing path changes
 * nothing.
 */
export function renameKey(text: string, path: ConfigPath, name: string): string {
  const key = findEntry(text, path)?.entry.children?.[0];
  if (typeof path.at(-1) !== 'string' || key === undefined) return text;
  return text.slice(0, key.offset) + JSON.stringify(name) + text.slice(key.offset + key.length);
}

/** The layout of a text, which new parts follow. */
interface Layout {
  readonly eol: string;
  /** One step of indentation. */
  readonly unit: string;
  /** On one line, without spaces. */
  readonly isMinified: boolean;
}

const DEFAULT_UNIT = '  ';

function layoutOf(text: string): Layout {
  return {
    eol: eolOf(text),
    unit: /^([ \t]+)"/mu.exec(text)?.[1] ?? DEFAULT_UNIT,
    isMinified: !/[\r\n]/u.test(text.trimEnd()) && /"\s*:\S/u.test(text),
  };
}

/** The indentation of the line of an offset. */
function indentAt(text: string, offset: number): string {
  const lineStart = Math.max(
    text.lastIndexOf('\n', offset - 1),
    text.lastIndexOf('\r', offset - 1),
  );
  return /^[ \t]*/u.exec(text.slice(lineStart + 1))?.[0] ?? '';
}

/** Whether an offset is the start of its line, apart from indentation. */
function beginsLine(text: string, offset: number): boolean {
  return /(?:^|[\r\n])[ \t]*$/u.test(text.slice(Math.max(0, offset - 200), offset));
}

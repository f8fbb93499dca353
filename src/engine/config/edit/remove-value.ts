import type { ConfigPath } from '../config-path.js';
import type { Node } from '../jsonc.js';
import { endOf, entryOf, nodeAt } from '../jsonc-nodes.js';

/** A part of a text, by offsets; the end is not in it. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * The text without one key or list item, and without the comma that belonged to it. Comments stay,
 * also those beside it. The text must be valid; a path that is not in it changes nothing.
 *
 * The parser's own removal is not used: it takes the comments between neighbours along, and leaves
 * a lone comma behind where the last entry had one.
 */
export function removeValue(text: string, path: ConfigPath): string {
  const found = findEntry(text, path);
  if (found === undefined) return text;
  const { entry, previous } = found;
  const own: Span = { start: entry.offset, end: endOf(entry) };
  const comma = commaAfter(text, own.end) ?? (previous && commaAfter(text, endOf(previous)));
  const spans = comma === undefined ? [own] : [own, { start: comma, end: comma + 1 }];
  // From the end, so that earlier offsets stay true.
  return spans.toSorted((a, b) => b.start - a.start).reduce((rest, span) => cut(rest, span), text);
}

/** A property or list item, and the one before it. */
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

/** Offset of the comma that follows after blanks and comments; undefined when none does. */
function commaAfter(text: string, offset: number): number | undefined {
  const gap = /(?:\s|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)*,/uy;
  gap.lastIndex = offset;
  return gap.test(text) ? gap.lastIndex - 1 : undefined;
}

/** Cuts a span out, and its whole lines when nothing else is on them. */
function cut(text: string, { start, end }: Span): string {
  const before = text.slice(0, start);
  const after = text.slice(end);
  const indent = /(?:^|[\r\n])([ \t]*)$/u.exec(before)?.[1];
  const lineEnd = /^[ \t]*(?:\r\n|\r|\n)/u.exec(after)?.[0];
  if (indent === undefined || lineEnd === undefined) return before + after;
  return before.slice(0, before.length - indent.length) + after.slice(lineEnd.length);
}

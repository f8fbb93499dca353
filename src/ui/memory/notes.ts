import type {
  MemoryAddOutput,
  MemoryCaptureOutput,
  MemoryUndoListOutput,
  MemoryUndoOutput,
} from '../../engine/notes/index.js';
import { formatCountOf, formatRelativeTime } from '../../engine/support/format.js';
import { fitEnd } from '../fit.js';
import { safeLine } from '../safe-text.js';
import type { View } from '../style.js';
import { renderTable } from '../table.js';

/** Where a text was added, or where it already is. */
export function renderAddition({ outcome, citation, id, text }: MemoryAddOutput): string {
  if (outcome === 'known') return `${safeLine(citation)} already has it; nothing was added`;
  const [first = '', ...rest] = text.split('\n');
  const more = rest.length === 0 ? '' : ` (and ${formatCountOf(rest.length, 'more line')})`;
  return `added to ${safeLine(citation)} as ${id}: ${safeLine(first)}${more}`;
}

/** Each write that was to be undone, with the result. */
export function renderWriteUndo({ writes }: MemoryUndoOutput): string {
  return writes
    .map(({ id, path, text, outcome }) => {
      const line = shortened(text);
      return outcome === 'undone'
        ? `removed ${id} from ${safeLine(path)}: ${line}`
        : `left ${id} in ${safeLine(path)} alone, because it was edited, replaced or deleted since: ${line}`;
    })
    .join('\n');
}

/** The writes that can be undone, as a table. */
export function renderWrites(
  { writes }: MemoryUndoListOutput,
  { style, nowMs, columns }: View,
): string {
  if (writes.length === 0) return 'there is nothing to undo';
  const rows = writes.map(({ id, at, origin, path, text }) => [
    id,
    formatRelativeTime(Date.parse(at), nowMs),
    origin,
    safeLine(path),
    shortened(text),
  ]);
  return renderTable(WRITE_COLUMNS, rows, { style, columns });
}

const WRITE_COLUMNS = [
  'id',
  { title: 'written', dropOrder: 2 },
  { title: 'by', dropOrder: 1 },
  'file',
  'text',
];

/** The decisions about what to keep of a conversation. */
export function renderCapture({ decisions, turns, session }: MemoryCaptureOutput): string {
  if (turns === 0) return `no new turns in ${safeLine(session)}`;
  if (decisions.length === 0) {
    return `nothing to keep in ${formatCountOf(turns, 'turn')} of ${safeLine(session)}`;
  }
  return decisions
    .map(({ outcome, text, citation }) => {
      const place = citation === null ? '' : ` (${safeLine(citation)})`;
      return `${outcome}: ${safeLine(text)}${place}`;
    })
    .join('\n');
}

const MAX_TEXT_COLUMNS = 80;

function shortened(text: string): string {
  return fitEnd(safeLine(text.split('\n')[0] ?? ''), MAX_TEXT_COLUMNS);
}

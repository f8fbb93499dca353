import { formatClock } from '../memory/watch-words.js';
import type { Style } from '../style.js';
import { type ListRow, STATUS_COLUMNS } from './rows.js';
import { statusPaint } from './words.js';

/** The moment stands before the line: how long ago it was says nothing more. */
const AGO_COLUMNS = { flows: 4, tasks: 5 } as const;

/** A flow or task that changed, in a line: the plain twin of the screen. */
export function watchLine(
  kind: 'flows' | 'tasks',
  { cells, status }: ListRow,
  nowMs: number,
  style: Style,
): string {
  const shown = cells.flatMap((cell, at) => {
    if (at === AGO_COLUMNS[kind] || cell === '') return [];
    return at === STATUS_COLUMNS[kind] ? [statusPaint(status, style)(cell)] : [cell];
  });
  return [style.dim(formatClock(nowMs)), ...shown].join('  ');
}

import { formatCountOf } from '../../../engine/support/format.js';
import { fitEnd, padEnd, spread, textWidth } from '../../fit.js';
import {
  FLOW_TITLES,
  type ListRow,
  STATUS_COLUMNS,
  statusPaint,
  TASK_TITLES,
} from '../../flows/rows.js';
import type { Style } from '../../style.js';
import { type KeyHelp, keyLines } from '../keys.js';
import { insideMargin, withMargin } from '../lines.js';
import type { TerminalSize } from '../mount.js';
import type { FlowsScreenState } from './state.js';

const GAP = '  ';
const MAX_COLUMNS = 140;
/** Longer cells are cut, except in the last column, which gets the remaining room. */
const MAX_CELL = 26;
/** Columns that are dropped first without room. */
const EXPENDABLE = { flows: [5, 3, 2], tasks: [1, 4, 2] } as const;
/** Least width of the last column, the most important one. */
const LEAST_LAST = 16;

const KEYS: readonly KeyHelp[] = [
  ['q, ctrl-c', 'quit'],
  ['?, esc', 'close help'],
];

/** The lines of the screen at a size; never wider than the terminal, and always shorter. */
export function flowsFrame(
  state: FlowsScreenState,
  style: Style,
  size: TerminalSize,
): readonly string[] {
  const { columns, rows: room } = insideMargin(size, MAX_COLUMNS);
  const head = [headLine(state, style, columns), ''];
  const end = ['', ...(state.help ? keyLines(KEYS, style, columns) : []), footer(style, columns)];
  const body = bodyLines(state, style, columns, room - head.length - end.length);
  const lines = [...head, ...body, ...end];
  return withMargin(lines, room);
}

function headLine({ kind, list }: FlowsScreenState, style: Style, columns: number): string {
  const title = fitEnd(`svc · ${kind}`, columns);
  if (list === undefined) return style.bold(title);
  const noun = kind === 'flows' ? 'flow' : 'task';
  return style.bold(spread(title, formatCountOf(list.total, noun), columns));
}

function bodyLines(
  { kind, list }: FlowsScreenState,
  style: Style,
  columns: number,
  room: number,
): readonly string[] {
  if (list === undefined || room < 1) return [];
  if (list.rows.length === 0) return [style.dim(fitEnd(`no ${kind}`, columns))];
  const titles: readonly string[] = kind === 'flows' ? FLOW_TITLES : TASK_TITLES;
  const shown = list.rows.slice(0, Math.max(0, room - 2));
  const widths = columnWidths(titles, shown, EXPENDABLE[kind], columns);
  const line = (cells: readonly string[], paint: (cell: string, at: number) => string): string =>
    cells
      .flatMap((cell, at) => {
        const width = widths[at] ?? 0;
        const isLast = at === cells.length - 1;
        const fitted = fitEnd(cell, width);
        return width === 0 ? [] : paint(isLast ? fitted : padEnd(fitted, width), at);
      })
      .join(GAP);
  const rest = list.total - shown.length;
  return [
    line(titles, (cell) => style.dim(cell)),
    ...shown.map(({ cells, status }) =>
      line(cells, (cell, at) =>
        at === STATUS_COLUMNS[kind] ? statusPaint(status, style)(cell) : cell,
      ),
    ),
    ...(rest > 0 ? [style.dim(fitEnd(`… ${rest} more`, columns))] : []),
  ];
}

/** Column widths; 0 for a dropped column. */
function columnWidths(
  titles: readonly string[],
  rows: readonly ListRow[],
  expendable: readonly number[],
  columns: number,
): readonly number[] {
  const last = titles.length - 1;
  const widths = titles
    .slice(0, last)
    .map((title, at) =>
      Math.min(
        MAX_CELL,
        Math.max(textWidth(title), ...rows.map(({ cells }) => textWidth(cells[at] ?? ''))),
      ),
    );
  const left = (): number =>
    columns - widths.reduce((sum, width) => sum + (width === 0 ? 0 : width + GAP.length), 0);
  for (const at of expendable) {
    if (left() >= LEAST_LAST) break;
    widths[at] = 0;
  }
  for (let at = last - 1; at > 0 && left() < 0; at--) widths[at] = 0;
  if (left() < 0) return [columns];
  return [...widths, Math.max(0, left())];
}

function footer(style: Style, columns: number): string {
  return style.dim(fitEnd('? help   q quit', columns));
}

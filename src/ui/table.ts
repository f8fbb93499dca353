import Table from 'cli-table3';
import { fitEnd, textWidth } from './fit.js';
import type { Style } from './style.js';

/** A column of a table. */
export interface TableColumn {
  readonly title: string;
  readonly align?: 'right';
}

/** A column, or only its title. */
type Column = TableColumn | string;

function titleOf(column: Column): string {
  return typeof column === 'string' ? column : column.title;
}

/** Turns off every border that cli-table3 draws. */
const NO_LINES = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

/** A table without borders, its columns two blanks apart. Cells must already be safe to show. */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  style: Style,
): string {
  const head = columns.map((column) => style.dim(titleOf(column)));
  const aligns = columns.map((column) => (typeof column === 'string' ? undefined : column.align));
  return `${alignRows([head, ...rows], aligns).join('\n')}\n`;
}

const GAP = 2;
/** Columns of the last cell that even the narrowest terminal shows. */
const LEAST_LAST = 8;

/** Rows with the last cell cut to fit the terminal. @param width undefined cuts nothing */
export function fitLastColumn(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number | undefined,
  fit: (text: string, columns: number) => string = fitEnd,
): readonly (readonly string[])[] {
  if (width === undefined) return rows;
  const taken = columns.slice(0, -1).map((column, at) => {
    return Math.max(textWidth(titleOf(column)), ...rows.map((row) => textWidth(row[at] ?? '')));
  });
  const room = width - taken.reduce((sum, one) => sum + one + GAP, 0);
  return rows.map((row) => [
    ...row.slice(0, -1),
    fit(row.at(-1) ?? '', Math.max(LEAST_LAST, room)),
  ]);
}

/** The lines of {@link renderTable} without titles. */
export function alignRows(
  rows: readonly (readonly string[])[],
  aligns: readonly ('left' | 'right' | undefined)[] = [],
): readonly string[] {
  if (rows.length === 0) return [];
  const table = new Table({
    colAligns: aligns.map((align) => align ?? 'left'),
    chars: NO_LINES,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
  });
  table.push(...rows.map((row) => [...row]));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
}

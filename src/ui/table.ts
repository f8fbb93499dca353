import Table from 'cli-table3';
import { formatCount, formatCountOf } from '../engine/support/format.js';
import { fitEnd, textWidth } from './fit.js';
import type { Style } from './style.js';

/** A column of a table. */
export interface TableColumn {
  readonly title: string;
  readonly align?: 'right';
}

/** A column, or only its title. */
export type Column = TableColumn | string;

/** A column of numbers. */
export function right(title: string): TableColumn {
  return { title, align: 'right' };
}

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

/**
 * A table without borders, its columns two blanks apart. Cells must already be safe to show.
 *
 * @param width where the last column is cut; undefined cuts nothing
 */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  style: Style,
  width?: number,
  fit: (text: string, columns: number) => string = fitEnd,
): string {
  const head = columns.map((column) => style.dim(titleOf(column)));
  const aligns = columns.map((column) => (typeof column === 'string' ? undefined : column.align));
  return `${alignRows([head, ...cutRows(columns, rows, width, fit)], aligns).join('\n')}\n`;
}

const GAP = 2;
/** Columns of the last cell that even the narrowest terminal shows. */
const LEAST_LAST = 8;

function cutRows(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number | undefined,
  fit: (text: string, columns: number) => string,
): readonly (readonly string[])[] {
  if (width === undefined) return rows;
  const widths = columns.slice(0, -1).map((column, at) => {
    return Math.max(textWidth(titleOf(column)), ...rows.map((row) => textWidth(row[at] ?? '')));
  });
  const room = width - widths.reduce((sum, one) => sum + one + GAP, 0);
  const last = Math.max(LEAST_LAST, room);
  return rows.map((row) => [...row.slice(0, -1), fit(row.at(-1) ?? '', last)]);
}

/** How many of all are listed, for below a table; nothing if it is all of them. */
export function limitNote(
  shown: number,
  total: number,
  noun: string,
  style: Style,
  nouns = `${noun}s`,
): string {
  if (shown === total) return '';
  const text = `${formatCount(shown)} of ${formatCountOf(total, noun, nouns)}; use --limit to show more`;
  return `${style.dim(text)}\n`;
}

/** A named value. */
export type Field = readonly [name: string, value: string | null | undefined];

/** Named values, which must be safe to show, one per line; those without a value are left out. */
export function fieldLines(fields: readonly Field[], style: Style): readonly string[] {
  return alignRows(
    fields.flatMap(([name, value]) => (value ? [[`  ${style.dim(name)}`, value]] : [])),
  );
}

/** cli-table3 compares each cell with those of all rows above it, so many rows are laid out as several tables. */
const ROWS_PER_TABLE = 200;

/** The lines of {@link renderTable} without titles. A cell can have several lines. */
export function alignRows(
  rows: readonly (readonly string[])[],
  aligns: readonly ('left' | 'right' | undefined)[] = [],
): readonly string[] {
  const colWidths: number[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.entries()) {
      colWidths[at] = Math.max(colWidths[at] ?? 1, ...cell.split('\n').map(textWidth));
    }
  }
  const options = {
    colAligns: aligns.map((align) => align ?? 'left'),
    colWidths,
    chars: NO_LINES,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
  };
  const lines: string[] = [];
  for (let at = 0; at < rows.length; at += ROWS_PER_TABLE) {
    const table = new Table(options);
    table.push(...rows.slice(at, at + ROWS_PER_TABLE).map((row) => [...row]));
    for (const line of table.toString().split('\n')) lines.push(line.trimEnd());
  }
  return lines;
}

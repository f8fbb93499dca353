import Table from 'cli-table3';
import { formatCount, formatCountOf } from '../engine/support/format.js';
import type { PaneLine } from './components/pane.js';
import { fitColumns, fitEnd, LEAST_LAST, textWidth } from './fit.js';
import { indentJson, safeLine, safeLines } from './safe-text.js';
import type { Paint, Style } from './style.js';

/** A column of a table. */
export interface TableColumn {
  readonly title: string;
  readonly align?: 'right';
  /** On a terminal without room for the last column, columns are dropped in this order (1 first); others never are. */
  readonly dropOrder?: number;
}

/** A column, or only its title. */
export type Column = TableColumn | string;

/** A column of numbers. */
export function right(title: string): TableColumn {
  return { title, align: 'right' };
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

interface TableOptions {
  readonly style: Style;
  /** Width of the terminal, at which the last cell of a row is cut; undefined cuts nothing. */
  readonly columns?: number | undefined;
  /** Cuts the last cell; {@link fitEnd} by default. */
  readonly fit?: (text: string, columns: number) => string;
}

/** A table without borders, its columns two blanks apart. Cells must already be safe to show. */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { style, columns: terminalColumns = Number.POSITIVE_INFINITY, fit = fitEnd }: TableOptions,
): string {
  const all = columns.map(
    (column): TableColumn => (typeof column === 'string' ? { title: column } : column),
  );
  const widths = all.map(({ title }, at) => {
    return Math.max(textWidth(title), ...rows.map((row) => textWidth(row[at] ?? '')));
  });
  const dropOrders = all.map(({ dropOrder }) => dropOrder);
  const least = Math.min(LEAST_LAST, widths.at(-1) ?? 0);
  const fitted = fitColumns(widths, dropOrders, terminalColumns, least);
  const lastColumns = Math.max(MIN_LAST_COLUMNS, fitted.at(-1) ?? 0);
  const keptOf = <T>(cells: readonly T[]): readonly T[] =>
    cells.filter((_, at) => at === all.length - 1 || fitted[at] !== 0);
  const head = all.map(({ title }) => style.dim(title));
  const cut = rows.map((row) => [...row.slice(0, -1), fit(row.at(-1) ?? '', lastColumns)]);
  const aligns = keptOf(all).map(({ align }) => align);
  return `${alignRows([head, ...cut].map(keptOf), aligns).join('\n')}\n`;
}

/** Columns of the last cell that even the narrowest terminal shows. */
const MIN_LAST_COLUMNS = 8;

/** How many of all records a table lists. */
interface ListedCount {
  readonly listed: number;
  readonly total: number;
  readonly noun: string;
  /** The noun with an `s` by default. */
  readonly plural?: string;
}

/** A line below a table that does not list everything; nothing if it does. */
export function limitNote(
  { listed, total, noun, plural = `${noun}s` }: ListedCount,
  style: Style,
): string {
  if (listed === total) return '';
  const text = `${formatCount(listed)} of ${formatCountOf(total, noun, plural)}; use --limit to show more`;
  return `${style.dim(text)}\n`;
}

/** A named value, and its colour. */
export type Field = readonly [
  name: string,
  value: string | null | undefined,
  paint?: Paint | undefined,
];

/** Named values, which must be safe to show, one per line; those without a value are left out. */
export function fieldLines(fields: readonly Field[], style: Style): readonly string[] {
  return alignRows(
    fields.flatMap(([name, value, paint = style.plain]) =>
      value ? [[`  ${style.dim(name)}`, paint(value)]] : [],
    ),
  );
}

/** Named values, which may be untrusted, have several lines or be JSON, as {@link fieldLines} shows them. */
export function renderFields(fields: readonly Field[], style: Style): string {
  const safe = fields.map(([name, value, paint]): Field => {
    return [safeLine(name), safeLines(indentJson(value ?? '')), paint];
  });
  return `${fieldLines(safe, style).join('\n')}\n`;
}

/** {@link renderFields} for a pane. */
export function paneFields(fields: readonly Field[]): readonly PaneLine[] {
  return fields.flatMap(([name, value, paint]) =>
    value ? [{ label: safeLine(name), text: indentJson(value), ...(paint && { paint }) }] : [],
  );
}

/** cli-table3 compares each cell with those of all rows above it, so many rows are laid out as several tables. */
const ROWS_PER_TABLE = 200;

/** The lines of {@link renderTable} without titles. A cell can have several lines. */
export function alignRows(
  rows: readonly (readonly string[])[],
  aligns: readonly ('left' | 'right' | undefined)[] = [],
): readonly string[] {
  const lines = rows.flatMap(rowLines);
  const colWidths: number[] = [];
  for (const cells of lines) {
    for (const [at, cell] of cells.entries()) {
      colWidths[at] = Math.max(colWidths[at] ?? 1, textWidth(cell));
    }
  }
  const options = {
    colAligns: aligns.map((align) => align ?? 'left'),
    colWidths,
    chars: NO_LINES,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
  };
  const drawn: string[] = [];
  for (let at = 0; at < lines.length; at += ROWS_PER_TABLE) {
    const table = new Table(options);
    table.push(...lines.slice(at, at + ROWS_PER_TABLE));
    for (const line of table.toString().split('\n')) drawn.push(line.trimEnd());
  }
  return drawn;
}

/** A row as one for each line of its cells: JSON can have more lines than one table can. */
function rowLines(row: readonly string[]): string[][] {
  const cells = row.map((cell) => cell.split('\n'));
  const height = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) => cells.map((lines) => lines[line] ?? ''));
}

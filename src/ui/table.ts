import Table from 'cli-table3';
import { formatCount, formatCountOf } from '../engine/support/format.js';
import { fitEnd, textWidth } from './fit.js';
import type { Style } from './style.js';

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

/** How a table is drawn. */
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
  options: TableOptions,
): string {
  const widths = columns.map((column, at) => {
    return Math.max(textWidth(titleOf(column)), ...rows.map((row) => textWidth(row[at] ?? '')));
  });
  const { kept, room } = fitColumns(columns, widths, options.columns);
  const keptOf = <T>(cells: readonly T[]): readonly T[] => cells.filter((_, at) => kept.has(at));
  const head = keptOf(columns).map((column) => options.style.dim(titleOf(column)));
  const aligns = keptOf(columns).map((column) =>
    typeof column === 'string' ? undefined : column.align,
  );
  const { fit = fitEnd } = options;
  const cut = rows.map((row) =>
    room === undefined
      ? row
      : keptOf([...row.slice(0, -1), fit(row.at(-1) ?? '', Math.max(MIN_LAST_COLUMNS, room))]),
  );
  return `${alignRows([head, ...cut], aligns).join('\n')}\n`;
}

const GAP = 2;
/** Columns of the last cell that even the narrowest terminal shows. */
const MIN_LAST_COLUMNS = 8;
/** Other columns are dropped until the last one has this width. */
const LEAST_LAST = 24;

/** The places of the columns that are shown, and the room for the last one; all of them without a terminal. */
function fitColumns(
  columns: readonly Column[],
  widths: readonly number[],
  terminalColumns: number | undefined,
): { readonly kept: ReadonlySet<number>; readonly room: number | undefined } {
  const kept = new Set(columns.keys());
  if (terminalColumns === undefined) return { kept, room: undefined };
  const last = columns.length - 1;
  const roomForLast = (): number =>
    widths.reduce(
      (room, width, at) => (at !== last && kept.has(at) ? room - width - GAP : room),
      terminalColumns,
    );
  const least = Math.min(LEAST_LAST, widths[last] ?? 0);
  const order = columns
    .flatMap((column, at) =>
      typeof column === 'string' || column.dropOrder === undefined
        ? []
        : [{ at, dropOrder: column.dropOrder }],
    )
    .sort((a, b) => a.dropOrder - b.dropOrder);
  for (const { at } of order) {
    if (roomForLast() >= least) break;
    kept.delete(at);
  }
  return { kept, room: roomForLast() };
}

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

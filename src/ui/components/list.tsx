import { type ReactElement, useEffect } from 'react';
import { formatCount } from '../../engine/support/format.js';
import {
  COLUMN_GAP,
  fitColumns,
  fitEnd,
  LEAST_LAST,
  padEnd,
  padStart,
  spread,
  textWidth,
} from '../fit.js';
import type { Style } from '../style.js';
import { useMouse } from '../terminal/input.js';
import type { Area } from '../terminal/size.js';
import { type ListEvent, type ListItem, type ListState, listView } from './list-state.js';
import { Rows, useStyle } from './rows.js';

/** A column of a list. The last one gets the remaining room. */
export interface ListColumn<Item> {
  readonly title: string;
  /** Must be safe to show. */
  readonly cell: (item: Item) => string;
  readonly paint?: (text: string, item: Item) => string;
  readonly align?: 'right';
  /** Without room, columns are dropped in this order (1 first), and those without a number last. */
  readonly dropOrder?: number;
}

interface BaseProps<Item extends ListItem> {
  readonly state: ListState<Item>;
  readonly dispatch: (event: ListEvent<Item>) => void;
  readonly area: Area;
  readonly empty: string;
  /** Called for a click on the selected entry. */
  readonly onOpen?: (item: Item) => void;
}

/** A list is a table with titles, or has rows that the screen draws. */
type ListProps<Item extends ListItem> = BaseProps<Item> &
  (
    | { readonly columns: readonly ListColumn<Item>[] }
    | {
        /** Draws an entry behind the cursor, in one row of so many columns. Must be safe to show. */
        readonly row: (item: Item, columns: number, isSelected: boolean) => string;
      }
  );

const CURSOR = '❯ ';
/** Columns of the cursor, at the left of each entry. */
export const CURSOR_COLUMNS = CURSOR.length;
const NO_CURSOR = ' '.repeat(CURSOR_COLUMNS);
const GAP = ' '.repeat(COLUMN_GAP);
/** Longer cells are cut, except in the last column; on narrow terminals those of a column would push it out. */
const MAX_CELL = 26;
const MAX_NARROW_CELL = 12;

/**
 * A list with a cursor, and counts of the entries above and below. The wheel moves the selection, a click selects, and a
 * click on the selected entry opens it.
 */
export function List<Item extends ListItem>(props: ListProps<Item>): ReactElement {
  const { state, dispatch, area, empty, onOpen } = props;
  const style = useStyle();
  const width = area.columns - CURSOR_COLUMNS;
  const table =
    'row' in props
      ? { titles: [], row: (item: Item, isSelected: boolean) => props.row(item, width, isSelected) }
      : layoutTable(props.columns, state.items, { width, style });
  const { row } = table;
  // The only row is for an entry.
  const titles = area.rows > 1 ? table.titles : [];
  const room = Math.max(1, area.rows - titles.length);
  const isLong = listView(state, room).matching.length > room;
  const rows = isLong ? Math.max(1, room - 1) : room;
  useEffect(() => dispatch({ type: 'sized', rows }), [dispatch, rows]);
  const { visible, selected, above, below } = listView(state, rows);
  useMouse(area, (event) => {
    if (event.action === 'wheelUp') dispatch({ type: 'moved', to: 'up' });
    else if (event.action === 'wheelDown') dispatch({ type: 'moved', to: 'down' });
    else {
      const item = visible[event.row - titles.length];
      if (item === undefined) return;
      if (item === selected) onOpen?.(item);
      else dispatch({ type: 'selected', id: item.id });
    }
  });
  if (visible.length === 0) return <Rows lines={[style.dim(fitEnd(empty, area.columns))]} />;
  const lines = [
    ...titles.map((title) => style.dim(NO_CURSOR + title)),
    ...visible.map((item) => cursorOf(item === selected, style) + row(item, item === selected)),
    ...(isLong ? [style.dim(offScreenWords(above, below, area.columns))] : []),
  ];
  return <Rows lines={lines.slice(0, area.rows)} />;
}

/** The cursor of the selected entry, or its room; see {@link CURSOR_COLUMNS}. */
export function cursorOf(isSelected: boolean, style: Style): string {
  return isSelected ? style.accent(CURSOR) : NO_CURSOR;
}

interface TableOptions {
  readonly width: number;
  readonly style: Style;
  /** Columns are dropped until the last one has this width. */
  readonly leastLast?: number;
}

/**
 * Aligns columns. Their widths depend on all entries, so that nothing moves sideways when the list scrolls.
 *
 * @returns at most one row of titles, and what draws a row
 */
export function layoutTable<Item>(
  columns: readonly ListColumn<Item>[],
  items: readonly Item[],
  { width, style, leastLast = LEAST_LAST }: TableOptions,
) {
  const widths = columnWidths(columns, items, width, leastLast);
  const titles = columns.map((column, at) => alignCell(column.title, column, widths[at] ?? 0));
  const row = (item: Item, isSelected: boolean): string => {
    const cells = columns.map((column, at) => {
      const cellWidth = widths[at] ?? 0;
      if (cellWidth === 0) return '';
      const text = alignCell(column.cell(item), column, cellWidth);
      if (column.paint !== undefined) return column.paint(text, item);
      return isSelected ? style.bold(text) : text;
    });
    return joinCells(cells, widths);
  };
  const hasTitles = columns.some(({ title }) => title !== '');
  return { titles: hasTitles ? [joinCells(titles, widths)] : [], row };
}

/** Counts of the entries above and below the visible ones. */
export function offScreenWords(above: number, below: number, columns: number): string {
  const up = above === 0 ? '' : `${NO_CURSOR}↑ ${formatCount(above)} more`;
  const down = below === 0 ? '' : `↓ ${formatCount(below)} more`;
  return up === '' ? fitEnd(NO_CURSOR + down, columns) : spread(up, down, Math.min(columns, 40));
}

function joinCells(cells: readonly string[], widths: readonly number[]): string {
  return cells.filter((_, at) => (widths[at] ?? 0) > 0).join(GAP);
}

function alignCell<Item>(text: string, { align }: ListColumn<Item>, width: number): string {
  const fitted = fitEnd(text, width);
  return align === 'right' ? padStart(fitted, width) : padEnd(fitted, width);
}

/** Width of each column; 0 for a dropped one. */
function columnWidths<Item>(
  columns: readonly ListColumn<Item>[],
  items: readonly Item[],
  width: number,
  leastLast: number,
): readonly number[] {
  const last = columns.length - 1;
  const widths = columns.map(({ title, cell }, at) => {
    if (at === last) return 0;
    const widest = Math.max(textWidth(title), ...items.map((item) => textWidth(cell(item))));
    const most = Math.max(MAX_NARROW_CELL, Math.floor(width * 0.4));
    return Math.min(MAX_CELL, most, widest);
  });
  const dropOrders = columns.map(({ dropOrder }, at) => dropOrder ?? columns.length + last - at);
  return fitColumns(widths, dropOrders, width, Math.min(leastLast, Math.floor(width / 2)));
}

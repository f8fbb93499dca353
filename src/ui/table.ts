import Table from 'cli-table3';
import type { Style } from './style.js';

/** A column of a table: its title, and where its cells stand. */
export interface TableColumn {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

/** Every line that cli-table3 can draw, drawn as nothing. */
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
 * Lines of a table whose columns stand under each other, two blanks apart and without boxes, so
 * that it reads well in a terminal and cuts well in a pipe. Cells must be safe to show already.
 */
export function renderTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  style: Style,
): string {
  const head = columns.map((column) => style.dim(column.title));
  const aligns = columns.map((column) => column.align ?? 'left');
  return `${alignRows([head, ...rows], aligns).join('\n')}\n`;
}

/** The lines of {@link renderTable} without titles. */
export function alignRows(
  rows: readonly (readonly string[])[],
  aligns: readonly ('left' | 'right')[],
): readonly string[] {
  if (rows.length === 0) return [];
  const table = new Table({
    colAligns: [...aligns],
    chars: NO_LINES,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
  });
  table.push(...rows.map((row) => [...row]));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
}

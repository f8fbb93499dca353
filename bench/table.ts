/** A measurement, formatted, and what it is compared with. */
export interface Row {
  readonly what: string;
  readonly value: string;
  readonly baseline?: string;
  readonly ratio?: string;
  readonly target?: string;
}

/** A row for a time beside a baseline, both in milliseconds. */
export function timeRow(
  what: string,
  tookMs = Number.NaN,
  baselineMs = Number.NaN,
  target = '',
): Row {
  const ratio = `${(tookMs / baselineMs).toFixed(2)} ×`;
  return { what, value: wholeMs(tookMs), baseline: wholeMs(baselineMs), ratio, target };
}

/** Milliseconds without decimals. */
export function wholeMs(value: number): string {
  return `${value.toFixed(0)} ms`;
}

/** The cells of a row, in the order of the columns. */
export function cellsOf({ what, value, baseline = '', ratio = '', target = '' }: Row) {
  return [what, value, baseline, ratio, target] as const;
}

/** The titles of the columns. */
export const TITLES = ['what', 'median', 'baseline', 'ratio', 'target'] as const;
const FIRST_WIDTH = 50;
const OTHER_WIDTHS = [12, 12, 10, 10];

/** Rows as aligned text below the titles. */
export function formatTable(rows: readonly Row[]): string {
  return [TITLES, ...rows.map(cellsOf)]
    .map(([what, ...others]) =>
      [
        what.padEnd(FIRST_WIDTH),
        ...others.map((cell, at) => cell.padStart(OTHER_WIDTHS[at] ?? 0)),
      ].join(''),
    )
    .join('\n');
}

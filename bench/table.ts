/** A measurement and its baseline, formatted. */
export interface Row {
  readonly what: string;
  readonly value: string;
  readonly baseline: string;
  readonly ratio: string;
  readonly target: string;
}

/** @param target empty if there is none */
export function row(
  what: string,
  value: string,
  baseline: string,
  ratio: string,
  target: string,
): Row {
  return { what, value, baseline, ratio, target };
}

/** Rows as aligned text below a heading. */
export function formatTable(rows: readonly Row[]): string {
  const header = row('what', 'median', 'baseline', 'ratio', 'target');
  const widths = { what: 50, value: 12, baseline: 12, ratio: 10, target: 10 } as const;
  return [header, ...rows]
    .map((line) =>
      [
        line.what.padEnd(widths.what),
        line.value.padStart(widths.value),
        line.baseline.padStart(widths.baseline),
        line.ratio.padStart(widths.ratio),
        line.target.padStart(widths.target),
      ].join(''),
    )
    .join('\n');
}

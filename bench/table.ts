/** A measurement beside what it is measured against, ready to be printed. */
export interface Row {
  readonly what: string;
  readonly value: string;
  readonly floor: string;
  readonly ratio: string;
  readonly target: string;
}

/** @param target empty when there is none */
export function row(
  what: string,
  value: string,
  floor: string,
  ratio: string,
  target: string,
): Row {
  return { what, value, floor, ratio, target };
}

/** Rows as aligned text, under a heading. */
export function formatTable(rows: readonly Row[]): string {
  const header = row('what', 'median', 'floor', 'ratio', 'target');
  const widths = { what: 50, value: 12, floor: 12, ratio: 10, target: 10 } as const;
  return [header, ...rows]
    .map((line) =>
      [
        line.what.padEnd(widths.what),
        line.value.padStart(widths.value),
        line.floor.padStart(widths.floor),
        line.ratio.padStart(widths.ratio),
        line.target.padStart(widths.target),
      ].join(''),
    )
    .join('\n');
}

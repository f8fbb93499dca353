const LEVELS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
const NOTHING = '·';

/**
 * Counts as a line of bars. The highest count fills its column, and a count above zero is always visible.
 *
 * @param columns number of groups that the counts are added up to
 */
export function sparkline(counts: readonly number[], columns: number): string {
  const groups = sumGroups(counts, Math.min(columns, counts.length));
  const most = Math.max(...groups, 1);
  return groups.map((count) => levelCharacter(count, most)).join('');
}

function levelCharacter(count: number, most: number): string {
  if (count <= 0) return NOTHING;
  const level = Math.ceil((count / most) * LEVELS.length) - 1;
  return LEVELS[level] ?? LEVELS[0];
}

function sumGroups(counts: readonly number[], groups: number): readonly number[] {
  return Array.from({ length: Math.max(0, groups) }, (_, group) => {
    const from = Math.floor((group * counts.length) / groups);
    const to = Math.floor(((group + 1) * counts.length) / groups);
    return counts.slice(from, to).reduce((sum, count) => sum + count, 0);
  });
}

/** Dots of a braille cell by column and row from the bottom. */
const DOTS = [
  [0x40, 0x04, 0x02, 0x01],
  [0x80, 0x20, 0x10, 0x08],
] as const;
const EMPTY_CELL = 0x2800;
const DOTS_PER_ROW = 4;
const DOTS_PER_COLUMN = 2;

/**
 * Counts over time as filled columns of braille dots, two counts a cell and four dots a row; lines from the top. The
 * highest count fills the height, and a count above zero has at least one dot.
 *
 * @param counts oldest first; more than fit are joined to their highest, fewer are stretched
 */
export function plotRows(
  counts: readonly number[],
  { columns, rows }: { readonly columns: number; readonly rows: number },
): readonly string[] {
  const width = Math.max(0, Math.floor(columns)) * DOTS_PER_COLUMN;
  const height = Math.max(0, Math.floor(rows)) * DOTS_PER_ROW;
  const highest = Math.max(0, ...counts);
  const levels = Array.from({ length: width }, (_, at) =>
    levelOf(highestIn(counts, at, width), highest, height),
  );
  return Array.from({ length: height / DOTS_PER_ROW }, (_, row) => {
    const floor = height - (row + 1) * DOTS_PER_ROW;
    return Array.from({ length: width / DOTS_PER_COLUMN }, (__, column) =>
      cellOf(levels.slice(column * DOTS_PER_COLUMN), floor),
    ).join('');
  });
}

function cellOf(levels: readonly number[], floor: number): string {
  let dots = EMPTY_CELL;
  for (const [column, bits] of DOTS.entries()) {
    for (const [row, dot] of bits.entries()) {
      if ((levels[column] ?? 0) > floor + row) dots |= dot;
    }
  }
  return String.fromCharCode(dots);
}

function highestIn(counts: readonly number[], at: number, width: number): number {
  const from = Math.floor((at * counts.length) / width);
  const to = Math.max(from + 1, Math.floor(((at + 1) * counts.length) / width));
  return Math.max(0, ...counts.slice(from, to));
}

function levelOf(count: number, highest: number, height: number): number {
  if (count <= 0) return 0;
  return Math.min(height, Math.max(1, Math.round((count / highest) * height)));
}

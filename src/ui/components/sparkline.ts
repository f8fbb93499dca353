const LEVELS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
const NOTHING = '·';

/**
 * Counts as a line of bars. The highest count fills its column, and a count above zero is always visible.
 *
 * @param columns number of groups that the counts are added up to
 */
export function sparkline(counts: readonly number[], columns: number): string {
  const groups = grouped(counts, Math.min(columns, counts.length));
  const most = Math.max(...groups, 1);
  return groups.map((count) => barOf(count, most)).join('');
}

function barOf(count: number, most: number): string {
  if (count <= 0) return NOTHING;
  const level = Math.ceil((count / most) * LEVELS.length) - 1;
  return LEVELS[level] ?? LEVELS[0];
}

function grouped(counts: readonly number[], groups: number): readonly number[] {
  return Array.from({ length: Math.max(0, groups) }, (_, group) => {
    const from = Math.floor((group * counts.length) / groups);
    const to = Math.floor(((group + 1) * counts.length) / groups);
    return counts.slice(from, to).reduce((sum, count) => sum + count, 0);
  });
}

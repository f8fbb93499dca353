const FULL = '█';
const EMPTY = '░';
/** Eighths of a column, for bars that show a score and not a progress. */
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const;

/** A progress bar of whole columns; full only when everything is done. */
export function drawBar(fraction: number, columns: number): string {
  const full = Math.floor(unit(fraction) * columns);
  return FULL.repeat(full) + EMPTY.repeat(columns - full);
}

/** A score as a bar without a background, to an eighth of a column. */
export function drawScore(score: number, columns: number): string {
  const eighths = Math.round(unit(score) * columns * 8);
  return FULL.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '');
}

function unit(value: number): number {
  return Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 0;
}

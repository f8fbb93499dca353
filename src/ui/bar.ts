/** A progress bar of whole columns; full only when everything is done. */
export function drawBar(fraction: number, columns: number): string {
  const full = Math.floor(unit(fraction) * columns);
  return '█'.repeat(full) + '░'.repeat(columns - full);
}

/** A score as a bar without a background, to the nearest column. */
export function drawScore(score: number, columns: number): string {
  return '▇'.repeat(Math.round(unit(score) * columns));
}

function unit(value: number): number {
  return Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 0;
}

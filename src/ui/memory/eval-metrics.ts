import type { QualityName } from '../../engine/eval/index.js';

/** The title of each metric; `N` stands for the number of results per question. */
const TITLES: Readonly<Record<QualityName, string>> = {
  recall5: 'R@5',
  recall: 'R@N',
  mrr: 'MRR',
  ndcg: 'nDCG',
  hit5: 'Hit@5',
  hit: 'Hit@N',
  evidence: 'ER@N',
  seen: 'Seen@N',
  evidence4k: 'ER@4k',
};

/** The metrics of a table, in the order of its columns. */
export const SHOWN_METRICS = Object.keys(TITLES) as readonly QualityName[];

/** The title of a metric: `R@10`. @param results number of results per question */
export function metricTitle(metric: QualityName, results: number): string {
  return TITLES[metric].replace('N', String(results));
}

/** `.879`, `1.00`; `–` for none. */
export function formatShare(value: number | null): string {
  if (value === null) return '–';
  const digits = value.toFixed(3);
  return digits.startsWith('0.') ? digits.slice(1) : value.toFixed(2);
}

/** `+.012`, `−.003`, `±0`. */
export function formatDifference(value: number): string {
  if (Math.abs(value) < 0.0005) return '±0';
  return `${value > 0 ? '+' : '\u2212'}${formatShare(Math.abs(value))}`;
}

import type { EvalOutput } from '../../engine/eval/output-schemas.js';

/** The figures of one run. */
export type ShownFigures = EvalOutput['variants'][number]['figures'];
/** The name of one of them. */
export type ShownFigure = keyof ShownFigures;
/** Those that a table has a column for. */
export type TableFigure = Exclude<ShownFigure, 'characters' | 'none'>;

/** In the order of the columns. */
export const TABLE_FIGURES: readonly TableFigure[] = [
  'recall5',
  'recall',
  'mrr',
  'ndcg',
  'hit5',
  'hit',
  'evidence',
  'seen',
  'evidence4k',
];

/** What people call a figure: `R@10`. @param results how many were asked for */
export function figureTitle(figure: TableFigure, results: number): string {
  const titles: Readonly<Record<TableFigure, string>> = {
    recall5: 'R@5',
    recall: `R@${results}`,
    mrr: 'MRR',
    ndcg: 'nDCG',
    hit5: 'Hit@5',
    hit: `Hit@${results}`,
    evidence: `ER@${results}`,
    seen: `Seen@${results}`,
    evidence4k: 'ER@4k',
  };
  return titles[figure];
}

/** `.879`, `1.00`; `–` where there is none. */
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

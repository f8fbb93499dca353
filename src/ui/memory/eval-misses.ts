import type { EvalOutput, QualityName } from '../../engine/eval/index.js';
import { formatCount, formatCountOf } from '../../engine/support/format.js';
import { safeLine } from '../safe-text.js';
import type { Style } from '../style.js';

type Miss = EvalOutput['misses'][number];

/** How misses are listed. */
export interface MissViewOptions {
  readonly style: Style;
  /** Number of misses to list. */
  readonly misses: number;
}

const WHY_WORDS: Readonly<Record<Miss['why'], string>> = {
  'not-indexed': 'not indexed',
  'no-such-lines': 'no such lines',
  'text-unknown': 'text not found',
  'not-a-candidate': 'not a candidate',
  outranked: 'outranked',
  'below-min-score': 'below the minimum score',
};

/** What was expected but not found, and why. */
export function missLines({ misses }: EvalOutput, options: MissViewOptions): string {
  if (misses.length === 0) return '';
  const { style } = options;
  const questions = new Set(misses.map(({ id }) => id)).size;
  const head = `${formatCountOf(misses.length, 'miss', 'misses')} in ${formatCountOf(questions, 'question')}: ${reasonCounts(misses)}`;
  const shown = misses.slice(0, options.misses);
  const lines = shown.flatMap((miss, at) => {
    const question = shown[at - 1]?.id === miss.id ? [] : [`  ${safeLine(miss.question)}`];
    const expected = style.accent(safeLine(miss.expected));
    return [...question, `    ${expected}  ${style.dim(reasonWords(miss))}`];
  });
  const rest = misses.length - shown.length;
  const more =
    rest > 0 && shown.length > 0 ? [`  ${formatCount(rest)} more; use --misses to list them`] : [];
  return `${[head, ...lines, ...more].join('\n')}\n`;
}

function reasonCounts(misses: readonly Miss[]): string {
  const counts = new Map<Miss['why'], number>();
  for (const { why } of misses) counts.set(why, (counts.get(why) ?? 0) + 1);
  return [...counts].map(([why, count]) => `${formatCount(count)} ${WHY_WORDS[why]}`).join(', ');
}

function reasonWords(miss: Miss): string {
  switch (miss.why) {
    case 'not-indexed':
      return 'memory does not cover this file';
    case 'no-such-lines':
      return `the file has ${formatCountOf(miss.lines, 'line')}`;
    case 'text-unknown':
      return 'no passage has this text';
    case 'not-a-candidate': {
      const ranked = `not among the ${formatCount(miss.ranked)} ranked chunks`;
      if (miss.place === null) return `${ranked}, nor in a wider search`;
      return `${ranked}; rank ${formatCount(miss.place)} in a wider search`;
    }
    case 'outranked': {
      const above = miss.above.map(
        ({ citation, score }) => `${safeLine(citation)} (${formatShare(score)})`,
      );
      return `rank ${formatCount(miss.place)}, below ${above.join(', ')} …`;
    }
    case 'below-min-score':
      return `rank ${formatCount(miss.place)}, score ${formatShare(miss.score)} is below the minimum`;
  }
}

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

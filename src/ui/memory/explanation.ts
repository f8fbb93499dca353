import type { WhyOutput } from '../../engine/memory/index.js';
import type { SearchResult } from '../../engine/memory/search/index.js';
import { safeLine } from '../safe-text.js';
import type { Style } from '../style.js';

/**
 * How a score was calculated, on one line: `keyword 0.88 × 0.3 + vector 0.94 × 0.7 · similarity 0.61 ·
 * decay 0.50 (30 days) · 2nd before diversity, overlap 0.40`; undefined without an explanation.
 */
export function explanationWords(result: SearchResult): string | undefined {
  const { explanation } = result;
  if (explanation === undefined) return undefined;
  const { similarity, decay, diversity, placeBeforeRerank } = explanation;
  const parts = [
    sidesWords(result),
    similarity === null ? '' : `similarity ${similarity.toFixed(2)}`,
    decay === null ? '' : `decay ${decay.factor.toFixed(2)} (${daysWords(decay.ageDays)})`,
    result.rerankScore === undefined || placeBeforeRerank === undefined
      ? ''
      : `reranked ${result.rerankScore.toFixed(2)}, ${ordinal(placeBeforeRerank)} before`,
    diversity === null
      ? ''
      : `${ordinal(diversity.placeBefore)} before diversity, overlap ${diversity.overlap.toFixed(2)}`,
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

function sidesWords({ textScore, vectorScore, explanation }: SearchResult): string {
  const words = textScore === undefined ? undefined : `keyword ${textScore.toFixed(2)}`;
  const vector = vectorScore === undefined ? undefined : `vector ${vectorScore.toFixed(2)}`;
  if (words === undefined || explanation === undefined) return vector ?? '';
  if (vector !== undefined) {
    const { textShare, vectorShare } = explanation;
    return `${words} (weight ${share(textShare)}), ${vector} (weight ${share(vectorShare)})`;
  }
  return explanation.vectorShare > 0 ? `${words} only, no vector yet` : words;
}

function share(value: number): string {
  return String(Math.round(value * 100) / 100);
}

function daysWords(days: number): string {
  const figure = days < 10 ? Math.round(days * 10) / 10 : Math.round(days);
  return `${figure} ${figure === 1 ? 'day' : 'days'}`;
}

function ordinal(place: number): string {
  const tens = place % 100;
  const suffix = tens >= 11 && tens <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][place % 10] ?? 'th');
  return `${place}${suffix}`;
}

const REASONS: Readonly<Record<WhyOutput['reason'], string>> = {
  excluded: 'it is excluded',
  included: 'it belongs to memory',
  missing: 'there is no such file',
  other_kind: 'its name does not end in .md',
  outside: 'not in MEMORY.md, USER.md, memory/ or memorySearch.extraPaths',
  skipped: 'it cannot be used',
};

/** Whether a file belongs to an agent's memory, and the rule that decided. */
export function renderWhy(
  agent: string,
  why: WhyOutput,
  { style }: { readonly style: Style },
): string {
  const { path, included, indexed, reason, detail, rule } = why;
  const verdict = included ? style.ok('indexed') : style.warning('not indexed');
  const lines = [`${style.bold(safeLine(agent))}  ${safeLine(path)}  ${verdict}`];
  const because = detail === undefined ? REASONS[reason] : `${REASONS[reason]}: ${detail}`;
  lines.push(`  why    ${safeLine(because)}`);
  if (rule !== null) {
    const about = rule.path === path ? '' : `, matches ${rule.path}`;
    lines.push(`  rule   ${safeLine(`${rule.pattern}  (${placeOf(rule)}${about})`)}`);
  }
  if (included !== indexed) lines.push(`  note   the index is not up to date: svc memory index`);
  return `${lines.join('\n')}\n`;
}

function placeOf({ file, line }: NonNullable<WhyOutput['rule']>): string {
  return file === null ? 'memorySearch.exclude' : `${file}:${line ?? 1}`;
}

import type { EvalOutput, QualityName } from '../../engine/eval/index.js';
import { formatCount, formatCountOf } from '../../engine/support/format.js';
import { fitEnd, padEnd } from '../fit.js';
import { safeLine } from '../safe-text.js';
import { drawScore, type Style, type View } from '../style.js';
import { renderTable, right } from '../table.js';

type Variant = EvalOutput['variants'][number];

/** How an evaluation is shown. */
export interface EvalViewOptions extends Pick<View, 'columns' | 'style'> {
  readonly misses: number;
}

/** Columns that the numbers of a table take, without the name. */
const METRIC_COLUMNS = 70;
const MIN_NAME_COLUMNS = 10;
const BAR_COLUMNS = 40;

/** The output of `svc memory eval`: metrics, by tag, differences, times, misses, the baseline. */
export function renderEval(output: EvalOutput, options: EvalViewOptions): string {
  const [first, ...others] = output.variants;
  if (first === undefined) return '';
  const blocks = [
    headLine(output, first),
    others.length === 0
      ? metricBars(first, output, options)
      : comparison(first, others, output, options),
    others.length > 0 && first.tags.length === 0 ? '' : tagTable(first, output, options),
    timeLines(output.variants, options),
    missLines(output, options),
    baselineLines(output, options),
  ];
  return blocks.filter((block) => block !== '').join('\n');
}

/** The result of `--generate`. @param file undefined for stdout */
export function renderDrafts(drafted: number, requested: number, file: string | undefined): string {
  const count = formatCountOf(drafted, 'question');
  if (drafted === 0) return 'no questions drafted: the notes contain no sentences\n';
  const where = file === undefined ? '' : `; written to ${safeLine(file)}`;
  const fewer = drafted < requested ? `, as many as the notes allow` : '';
  return `${count} drafted${fewer}${where}\nRephrase them in your own words: the drafts contain the words of their answers.\n`;
}

function headLine({ questions, maxResults }: EvalOutput, first: Variant): string {
  const asked = formatCountOf(questions, 'question');
  const results = formatCountOf(maxResults, 'result');
  const corrected =
    first.corrected === 0
      ? ''
      : ` · words replaced in ${formatCountOf(first.corrected, 'question')}`;
  return `${asked}, ${results} each · ${safeLine(first.name)}: ${modeWords(first)}${corrected}\n`;
}

function modeWords(variant: Variant): string {
  return sidesWords(variant) + rerankWords(variant);
}

function rerankWords({ rerank }: Variant): string {
  if (rerank === null) return '';
  const { name, questions, failed, tokens, searchUnits } = rerank;
  const cost = [
    ...(tokens === 0 ? [] : [formatCountOf(tokens, 'token')]),
    ...(searchUnits === 0 ? [] : [formatCountOf(searchUnits, 'search unit')]),
    ...(failed === 0 ? [] : [`${formatCountOf(failed, 'question')} not reranked`]),
  ];
  if (questions === 0) return `, reranking failed`;
  const details = cost.length === 0 ? '' : ` (${cost.join(', ')})`;
  return `, reranked by ${safeLine(name)}${details}`;
}

function sidesWords({ mode, provider, model, fellBack }: Variant): string {
  if (mode === 'lexical') return 'keyword only';
  const who = [provider, model].filter((part) => part !== null).join(' ');
  const how = mode === 'hybrid' ? `keyword and ${who}` : `${who} only`;
  const fallback =
    fellBack === 0 ? '' : ` (${formatCountOf(fellBack, 'question')} answered by keyword only)`;
  return safeLine(how) + fallback;
}

function metricBars(
  { metrics }: Variant,
  { maxResults }: EvalOutput,
  { style, columns }: EvalViewOptions,
): string {
  if (columns === undefined) return '';
  const room = Math.min(BAR_COLUMNS, columns - 17);
  const lines = METRICS.flatMap((metric) => {
    const value = metrics[metric];
    if (value === null) return [];
    const title = padEnd(metricTitle(metric, maxResults), 8);
    return [`${title}  ${formatShare(value)}  ${style.accent(drawScore(value, room))}`];
  });
  return `${lines.join('\n')}\n`;
}

function metricColumns(name: string, { maxResults }: EvalOutput) {
  const metrics = METRICS.map((metric) => right(metricTitle(metric, maxResults)));
  return [{ title: name }, right('n'), ...metrics];
}

function nameCell(name: string, columns: number | undefined): string {
  const text = safeLine(name);
  if (columns === undefined) return text;
  return fitEnd(text, Math.max(MIN_NAME_COLUMNS, columns - METRIC_COLUMNS));
}

function tagTable(first: Variant, output: EvalOutput, { style, columns }: EvalViewOptions): string {
  const { questions } = output;
  const row = (name: string, count: number, metrics: Variant['metrics']): readonly string[] => [
    nameCell(name, columns),
    formatCount(count),
    ...METRICS.map((metric) => formatShare(metrics[metric])),
  ];
  const rows = [
    row('all', questions, first.metrics),
    ...first.tags.map(({ tag, questions: count, metrics }) => row(tag, count, metrics)),
  ];
  const { none, characters } = first.metrics;
  const empty = Math.round(none * questions);
  const share = `${formatCount(empty)} of ${formatCountOf(questions, 'question')}`;
  const without = none === 0 ? '' : `${share} ${empty === 1 ? 'has' : 'have'} no results\n`;
  const text = `${without}${formatCount(characters)} characters of text returned on average\n`;
  return renderTable(metricColumns('tag', output), rows, { style }) + text;
}

function comparison(
  first: Variant,
  others: readonly Variant[],
  output: EvalOutput,
  { style, columns }: EvalViewOptions,
): string {
  const { questions } = output;
  const rows = [first, ...others].flatMap((variant) => {
    const metrics = METRICS.map((metric) => formatShare(variant.metrics[metric]));
    const cells = [nameCell(variant.name, columns), formatCount(questions), ...metrics];
    if (variant === first) return [cells];
    return [cells, ['', '', ...METRICS.map((metric) => changeCell(variant, metric, style))]];
  });
  const table = renderTable(metricColumns('variant', output), rows, { style });
  const modes = others.map((variant) => `${safeLine(variant.name)}: ${modeWords(variant)}\n`);
  const legend = style.dim('* beyond chance (paired bootstrap over the questions, 5 %)');
  return `${table}${legend}\n${modes.join('')}`;
}

function changeCell({ differences }: Variant, metric: QualityName, style: Style): string {
  const change = differences.find((one) => one.metric === metric);
  if (change === undefined) return '';
  const { difference, beyondChance } = change;
  const text = formatDifference(difference);
  if (!beyondChance) return style.dim(text);
  return (difference > 0 ? style.ok : style.fault)(`${text}*`);
}

function timeLines(variants: readonly Variant[], { columns }: EvalViewOptions): string {
  const lines = variants.map(({ name, latencyMs: { p50, p95, p99, max } }) => {
    const times = `p50 ${formatMs(p50)}, p95 ${formatMs(p95)}, p99 ${formatMs(p99)}`;
    const label = variants.length === 1 ? 'response time' : nameCell(name, columns);
    return `${label}: ${times}, max ${formatMs(max)}\n`;
  });
  return lines.join('');
}

function formatMs(ms: number): string {
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${formatCount(ms)} ms`;
}

function baselineLines(
  { baseline, written, maxResults }: EvalOutput,
  { style }: EvalViewOptions,
): string {
  const saved = written === null ? '' : `baseline written: ${safeLine(written)}\n`;
  if (baseline === null) return saved;
  const { file, margin, shared, added, gone, drops } = baseline;
  const others = [
    ...(added === 0 ? [] : [`${formatCount(added)} not in it`]),
    ...(gone === 0 ? [] : [`${formatCount(gone)} no longer asked`]),
  ];
  const what = [`${formatCountOf(shared, 'question')} in common`, ...others].join(', ');
  const head = `baseline ${safeLine(file)}: ${what}\n`;
  const dropped = drops.map(({ metric, before, now }) => {
    const known = METRICS.find((name) => name === metric);
    const title = known === undefined ? metric : metricTitle(known, maxResults);
    const change = `${formatShare(before)} to ${formatShare(now)}`;
    return style.fault(`  ${title} dropped from ${change}`);
  });
  const verdict =
    drops.length === 0
      ? `  no metric dropped by more than ${formatShare(margin)}\n`
      : `${dropped.join('\n')}\n`;
  return head + verdict + saved;
}

type Miss = EvalOutput['misses'][number];

const WHY_WORDS: Readonly<Record<Miss['why'], string>> = {
  'not-indexed': 'not indexed',
  'no-such-lines': 'no such lines',
  'text-unknown': 'text not found',
  'not-a-candidate': 'not a candidate',
  outranked: 'outranked',
  'below-min-score': 'below the minimum score',
};

/** What was expected but not found, and why. */
function missLines({ misses }: EvalOutput, options: EvalViewOptions): string {
  if (misses.length === 0) return '';
  const { style } = options;
  const questions = new Set(misses.map(({ id }) => id)).size;
  const head = `${formatCountOf(misses.length, 'miss', 'misses')} in ${formatCountOf(questions, 'question')}: ${reasonCounts(misses)}`;
  const listed = misses.slice(0, options.misses);
  const lines = listed.flatMap((miss, at) => {
    const question = listed[at - 1]?.id === miss.id ? [] : [`  ${safeLine(miss.question)}`];
    const expected = style.accent(safeLine(miss.expected));
    return [...question, `    ${expected}  ${style.dim(reasonWords(miss))}`];
  });
  const rest = misses.length - listed.length;
  const more =
    rest > 0 && listed.length > 0 ? [`  ${formatCount(rest)} more; use --misses to list them`] : [];
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
      if (miss.ranked === 0) return 'no chunk matches the question';
      const ranked = `not among the ${formatCountOf(miss.ranked, 'ranked chunk')}`;
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
const METRIC_TITLES: Readonly<Record<QualityName, string>> = {
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
const METRICS = Object.keys(METRIC_TITLES) as readonly QualityName[];

/** The title of a metric: `R@10`. @param results number of results per question */
function metricTitle(metric: QualityName, results: number): string {
  return METRIC_TITLES[metric].replace('N', String(results));
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

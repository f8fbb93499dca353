import type { EvalOutput } from '../../engine/eval/output-schemas.js';
import { drawScore } from '../bar.js';
import { fitEnd, padEnd } from '../fit.js';
import { formatCount, formatCountOf } from '../format.js';
import { safeLine } from '../safe-text.js';
import type { Style } from '../style.js';
import { renderTable } from '../table.js';
import {
  figureTitle,
  formatDifference,
  formatShare,
  TABLE_FIGURES,
  type TableFigure,
} from './eval-figures.js';
import { missLines } from './eval-misses.js';

type Variant = EvalOutput['variants'][number];

/** How an evaluation is shown. */
export interface EvalViewOptions {
  readonly style: Style;
  /** Width of the terminal; undefined (a pipe) draws no bars and cuts nothing. */
  readonly columns: number | undefined;
  /** How many misses are listed. */
  readonly misses: number;
}

/** Columns that the figures of a table take, without the name before them. */
const FIGURE_COLUMNS = 70;
const FEWEST_NAME_COLUMNS = 10;
const BAR_COLUMNS = 40;

/** What `svc memory eval` prints: figures, by tag, differences, times, misses, the baseline. */
export function renderEval(output: EvalOutput, options: EvalViewOptions): string {
  const [first, ...others] = output.variants;
  if (first === undefined) return '';
  const blocks = [
    headLine(output, first),
    ...(others.length === 0 ? bars(first, output, options) : []),
    others.length === 0 ? '' : comparison(first, others, output, options),
    others.length > 0 && first.tags.length === 0 ? '' : tagTable(first, output, options),
    timeLines(output.variants, options),
    missLines(output, options),
    baselineLines(output, options),
  ];
  return blocks.filter((block) => block !== '').join('\n');
}

/** What became of `--generate`. @param file undefined when the drafts went to stdout */
export function renderDrafted(drafted: number, wanted: number, file: string | undefined): string {
  const count = formatCountOf(drafted, 'question');
  if (drafted === 0) return 'nothing to draft questions from: the notes hold no sentences\n';
  const where = file === undefined ? '' : `; written to ${safeLine(file)}`;
  const fewer = drafted < wanted ? `, all that the notes give` : '';
  return `${count} drafted${fewer}${where}\nPut them into your own words: as they are, they hold the words of their answers.\n`;
}

function headLine({ questions, maxResults }: EvalOutput, first: Variant): string {
  const asked = formatCountOf(questions, 'question');
  const results = formatCountOf(maxResults, 'result');
  return `${asked}, ${results} each · ${safeLine(first.name)}: ${modeWords(first)}\n`;
}

function modeWords({ mode, provider, model, fellBack }: Variant): string {
  if (mode === 'lexical') return 'words alone';
  const who = [provider, model].filter((part) => part !== null).join(' ');
  const how = mode === 'hybrid' ? `words and ${who}` : `${who} alone`;
  const lost =
    fellBack === 0 ? '' : ` (${formatCountOf(fellBack, 'question')} answered by words alone)`;
  return safeLine(how) + lost;
}

function bars(
  { figures }: Variant,
  { maxResults }: EvalOutput,
  { style, columns }: EvalViewOptions,
): readonly string[] {
  if (columns === undefined) return [];
  const room = Math.min(BAR_COLUMNS, columns - 17);
  const lines = TABLE_FIGURES.flatMap((figure) => {
    const value = figures[figure];
    if (value === null) return [];
    const title = padEnd(figureTitle(figure, maxResults), 8);
    return [`${title}  ${formatShare(value)}  ${style.cyan(drawScore(value, room))}`];
  });
  return [`${lines.join('\n')}\n`];
}

function titled(name: string, { maxResults }: EvalOutput) {
  const figures = TABLE_FIGURES.map((figure) => {
    return { title: figureTitle(figure, maxResults), align: 'right' } as const;
  });
  return [{ title: name }, { title: 'n', align: 'right' } as const, ...figures];
}

function nameCell(name: string, columns: number | undefined): string {
  const shown = safeLine(name);
  if (columns === undefined) return shown;
  return fitEnd(shown, Math.max(FEWEST_NAME_COLUMNS, columns - FIGURE_COLUMNS));
}

function tagTable(first: Variant, output: EvalOutput, { style, columns }: EvalViewOptions): string {
  const { questions } = output;
  const row = (name: string, count: number, figures: Variant['figures']): readonly string[] => [
    nameCell(name, columns),
    formatCount(count),
    ...TABLE_FIGURES.map((figure) => formatShare(figures[figure])),
  ];
  const rows = [
    row('all', questions, first.figures),
    ...first.tags.map(({ tag, questions: count, figures }) => row(tag, count, figures)),
  ];
  const { none, characters } = first.figures;
  const without = none === 0 ? '' : `${formatShare(none)} of the questions found nothing\n`;
  const text = `${without}${formatCount(characters)} characters of text returned on average\n`;
  return renderTable(titled('tag', output), rows, style) + text;
}

function comparison(
  first: Variant,
  others: readonly Variant[],
  output: EvalOutput,
  { style, columns }: EvalViewOptions,
): string {
  const { questions } = output;
  const rows = [first, ...others].flatMap((variant) => {
    const figures = TABLE_FIGURES.map((figure) => formatShare(variant.figures[figure]));
    const cells = [nameCell(variant.name, columns), formatCount(questions), ...figures];
    if (variant === first) return [cells];
    return [cells, ['', '', ...TABLE_FIGURES.map((figure) => changeCell(variant, figure, style))]];
  });
  const table = renderTable(titled('variant', output), rows, style);
  const modes = others.map((variant) => `${safeLine(variant.name)}: ${modeWords(variant)}\n`);
  const legend = style.dim('* beyond chance (paired bootstrap over the questions, 5 %)');
  return `${table}${legend}\n${modes.join('')}`;
}

function changeCell({ differences }: Variant, figure: TableFigure, style: Style): string {
  const change = differences.find((one) => one.figure === figure);
  if (change === undefined) return '';
  const { difference, beyondChance } = change;
  const text = formatDifference(difference);
  if (!beyondChance) return style.dim(text);
  return (difference > 0 ? style.green : style.red)(`${text}*`);
}

function timeLines(variants: readonly Variant[], { columns }: EvalViewOptions): string {
  const lines = variants.map(({ name, latencyMs: { p50, p95, p99, max } }) => {
    const times = `half ${formatMs(p50)}, 95 % ${formatMs(p95)}, 99 % ${formatMs(p99)}`;
    const whose = variants.length === 1 ? 'time of an answer' : nameCell(name, columns);
    return `${whose}: ${times}, longest ${formatMs(max)}\n`;
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
    ...(added === 0 ? [] : [`${formatCount(added)} it does not know`]),
    ...(gone === 0 ? [] : [`${formatCount(gone)} that are gone`]),
  ];
  const what = [`${formatCountOf(shared, 'question')} in common`, ...others].join(', ');
  const head = `baseline ${safeLine(file)}: ${what}\n`;
  const dropped = drops.map(({ figure, before, now }) => {
    const title = isTableFigure(figure) ? figureTitle(figure, maxResults) : figure;
    const change = `${formatShare(before)} to ${formatShare(now)}`;
    return style.red(`  ${title} dropped from ${change}`);
  });
  const verdict =
    drops.length === 0
      ? `  nothing dropped by more than ${formatShare(margin)}\n`
      : `${dropped.join('\n')}\n`;
  return head + verdict + saved;
}

function isTableFigure(name: string): name is TableFigure {
  return TABLE_FIGURES.some((figure) => figure === name);
}

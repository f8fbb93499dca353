import type { Overview } from '../../../engine/overview/index.js';
import { formatCount, formatRelativeTime } from '../../../engine/support/format.js';
import { plotRows } from '../../components/plot.js';
import { fitEnd, padEnd } from '../../fit.js';
import { safeLine } from '../../safe-text.js';
import { levelPaint } from '../../serve/log-line.js';
import type { Style } from '../../style.js';
import type { HomeState } from './state.js';

const PLOTS = [
  { kind: 'searches', titles: ['searches, 24 h', 'searches'] },
  { kind: 'chunks', titles: ['indexed chunks, 24 h', 'indexed chunks', 'chunks'] },
  { kind: 'requests', titles: ['requests, 24 h', 'requests'] },
] as const;
const PLOT_GAP = 3;

/** A title with its total, and the curve of 24 hours below it. */
function plotBlock(
  activity: NonNullable<Overview['activity']>,
  style: Style,
  { kind, titles }: (typeof PLOTS)[number],
  size: { readonly columns: number; readonly rows: number },
): readonly string[] {
  const { columns } = size;
  const counts = activity[kind];
  const sum = counts.reduce((all, count) => all + count, 0);
  const total = formatCount(sum);
  const room = columns - total.length - 2;
  const name = titles.find(({ length }) => length <= room) ?? fitEnd(kind, room);
  const head = `${style.dim(padEnd(name, columns - total.length))}${style.bold(total)}`;
  const rows = plotRows(counts, { columns, rows: size.rows - 1 });
  // Without any, a line shows where they would be.
  const curve =
    sum > 0 ? rows.map(style.accent) : [...rows.slice(1), style.dim('⣀'.repeat(columns))];
  return [head, ...curve];
}

/** The plots next to each other. */
export function plotBlocks(
  { activity }: Partial<Overview>,
  style: Style,
  columns: number,
  { plots, gap }: { readonly plots: number; readonly gap: number },
): readonly string[] {
  if (!activity) return [];
  const rows = plots - gap;
  const each = Math.floor((columns - PLOT_GAP * (PLOTS.length - 1)) / PLOTS.length);
  const blocks = PLOTS.map((plot) => plotBlock(activity, style, plot, { columns: each, rows }));
  const texts = Array.from({ length: rows }, (_, row) =>
    blocks.map((block) => block[row] ?? '').join(' '.repeat(PLOT_GAP)),
  );
  return [...texts, ...(gap === 0 ? [] : [''])];
}

/** The plots below each other. */
export function stackedPlots(
  { activity }: Partial<Overview>,
  style: Style,
  columns: number,
  rows: number,
): readonly string[] {
  if (!activity) return [];
  const each = rows < 28 ? 3 : rows < 44 ? 4 : 6;
  return PLOTS.flatMap((plot) => [
    ...plotBlock(activity, style, plot, { columns, rows: each }),
    '',
  ]);
}

/** With less room, there are no titles and entries. */
const LEAST_RECENT = 3;
const LEAST_RECENT_COLUMNS = 32;
const MOST_QUERIES = 6;

/** Logged searches and the end of the log, as far as there is room. */
export function recentRows(
  { overview, nowMs }: HomeState,
  style: Style,
  columns: number,
  rows: number,
): readonly string[] {
  const { queries = [], log = [] } = overview;
  const searched = queries.slice(0, Math.max(0, Math.min(MOST_QUERIES, rows - 2)));
  const block = (title: string, texts: readonly string[]): readonly string[] =>
    texts.length === 0 || rows < LEAST_RECENT || columns < LEAST_RECENT_COLUMNS
      ? []
      : [style.dim(title), ...texts, ''];
  const searches = block(
    'recent searches',
    searched.map(({ query, logged }) => {
      if (logged === undefined) return fitEnd(safeLine(query), columns);
      const ago = style.dim(padEnd(formatRelativeTime(logged.atMs, nowMs), AGO_COLUMNS));
      const who = (overview.agents?.length ?? 0) > 1 ? `${safeLine(logged.agent)}: ` : '';
      return ago + fitEnd(who + safeLine(query), columns - AGO_COLUMNS);
    }),
  );
  const left = rows - searches.length - 2;
  if (left < LEAST_RECENT - 1) return searches;
  const lines = log.slice(-left).map(({ atMs, level, message }) => {
    const paint = levelPaint(level, style);
    const ago = style.dim(padEnd(formatRelativeTime(atMs, nowMs), AGO_COLUMNS));
    return `${ago}${paint(level.padEnd(6))}${fitEnd(safeLine(message), columns - AGO_COLUMNS - 6)}`;
  });
  return [...searches, ...block('log of svc serve', lines)];
}

const AGO_COLUMNS = 13;

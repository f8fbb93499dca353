import { type ListColumn, offScreenWords, tableOf } from '../../components/list.js';
import { listView } from '../../components/list-state.js';
import { sparkline } from '../../components/plot.js';
import { fitEnd, padEnd, spread, textWidth } from '../../fit.js';
import { safeLine } from '../../safe-text.js';
import { MARKS, type Mark, paintedMark, type Style } from '../../style.js';
import type { TerminalSize } from '../../terminal/size.js';
import { detailLines, type HomeView } from './detail.js';
import { type AgentCells, type HomeLine, type HomeMark, problems } from './lines.js';
import { plotBlocks, recentRows, stackedPlots } from './side.js';
import type { HomeState } from './state.js';

/** A row of the screen; a click selects its line. */
export interface HomeRow {
  readonly text: string;
  readonly line?: string;
}

/** From here on, plots and logs are next to the lines instead of below them. */
const WIDE_COLUMNS = 130;
const WIDE_ROWS = 20;
const LEFT_SHARE = 0.58;
const BETWEEN_COLUMNS = 4;

/** How the rows of the screen are divided; the same for the keys and the picture. */
interface HomeLayout {
  /** Rows for agents, with their titles; 0 shows all lines as one list. */
  readonly agents: number;
  readonly faults: number;
  readonly plots: number;
  /** Below the plots: details of the selected line, recent searches, the log. */
  readonly rest: number;
  readonly gap: 0 | 1;
}

/** The body of the screen; as many rows as there is room for. */
export function homeRows(state: HomeState, view: HomeView, area: TerminalSize): readonly HomeRow[] {
  const layout = homeLayout(state, area);
  if (layout.agents === 0) return compactRows(state, view, area);
  if (!isWide(area)) {
    const plots =
      layout.plots === 0 ? [] : plotBlocks(state.news, view.style, area.columns, layout);
    return [
      ...mainRows(state, view, area.columns, layout),
      ...toRows(plots),
      ...padRows(restRows(state, view, area.columns, layout.rest), layout.rest),
      ...faultRows(state, view, area.columns, layout.faults),
    ].slice(0, area.rows);
  }
  const leftColumns = Math.floor(area.columns * LEFT_SHARE);
  const columns = area.columns - leftColumns - BETWEEN_COLUMNS;
  const left = [
    ...mainRows(state, view, leftColumns, layout),
    ...padRows(detailRows(state, view, leftColumns, layout.rest), layout.rest),
    ...faultRows(state, view, leftColumns, layout.faults),
  ];
  const plots = stackedPlots(state.news, view.style, columns, area.rows);
  const right = [...plots, ...recentRows(state, view.style, columns, area.rows - plots.length)];
  return left.slice(0, area.rows).map(({ text, line }, at) => {
    const beside = right[at] ?? '';
    const row = beside === '' ? text : padEnd(text, leftColumns + BETWEEN_COLUMNS) + beside;
    return line === undefined ? { text: row } : { text: row, line };
  });
}

/** Rows for agents alone, without their titles, for paging. */
export function homePageRows(state: HomeState, area: TerminalSize): number {
  const { agents } = homeLayout(state, area);
  return Math.max(1, (agents === 0 ? area.rows : agents) - 2);
}

function isWide({ columns, rows }: TerminalSize): boolean {
  return columns >= WIDE_COLUMNS && rows >= WIDE_ROWS;
}

const LEAST_AGENT_ROWS = 4;
const PLOT_COLUMNS = 48;
/** Only the first fault is shown in less. */
const MESSAGE_COLUMNS = 32;

function homeLayout(state: HomeState, area: TerminalSize): HomeLayout {
  const { agents, work } = groupsOf(state);
  const { columns, rows } = area;
  const gap = rows >= 12 ? 1 : 0;
  const most = rows < 17 || columns < MESSAGE_COLUMNS ? 1 : rows < 30 ? 3 : 6;
  const faults = Math.min(most, Math.max(1, problems(state.news).length));
  // Without agents, a row says so.
  const needed = agents.length === 0 ? 1 : agents.length + 1;
  const left = rows - faults - gap - work.length - gap;
  if (left < Math.min(needed, LEAST_AGENT_ROWS)) {
    return { agents: 0, faults: 1, plots: 0, rest: 0, gap };
  }
  const high = (rows < 17 ? 2 : rows < 30 ? 3 : 4) + gap;
  const hasPlots =
    !isWide(area) &&
    columns >= PLOT_COLUMNS &&
    state.news.activity &&
    left - high >= Math.min(needed, LEAST_AGENT_ROWS + 4);
  const plots = hasPlots ? high : 0;
  const shown = Math.min(needed, left - plots);
  return { agents: shown, faults, plots, rest: left - plots - shown, gap };
}

/** The lines that match the filter. The one of faults is always shown. */
function groupsOf({ list }: HomeState) {
  const { matching, selected } = listView(list);
  return {
    agents: matching.filter(({ group }) => group === 'agents'),
    work: matching.filter(({ group }) => group === 'work'),
    all: matching,
    selected,
  };
}

/** Agents, then everything else that works. */
function mainRows(
  state: HomeState,
  view: HomeView,
  columns: number,
  { agents, gap }: HomeLayout,
): readonly HomeRow[] {
  const { work, selected } = groupsOf(state);
  const rows = work.map((line) => workRow(state, line, line === selected, view, columns));
  const blank = padRows([], gap);
  return [...agentRows(state, view, columns, agents), ...blank, ...rows, ...blank];
}

function agentRows(
  state: HomeState,
  view: HomeView,
  columns: number,
  rows: number,
): readonly HomeRow[] {
  const { agents, selected } = groupsOf(state);
  if (agents.length === 0) {
    return [{ text: view.style.dim(fitEnd('no agent matches the filter', columns)) }].slice(
      0,
      rows,
    );
  }
  const room = rows - 1;
  const isLong = agents.length > room;
  const count = Math.max(1, isLong ? room - 1 : room);
  // Lines after the agents are always shown, so only agents scroll.
  const top = Math.min(listView(state.list, count).above, Math.max(0, agents.length - count));
  const all = state.list.items.filter(({ group }) => group === 'agents');
  const table = tableOf(
    agentColumns(view.style, columns),
    all,
    columns - CURSOR_COLUMNS,
    view.style,
    LEAST_SEARCH,
  );
  const shown = agents.slice(top, top + count);
  const below = agents.length - top - shown.length;
  return [
    ...table.titles.map((titles) => ({ text: view.style.dim(`  ${titles}`) })),
    ...shown.map((line) => ({
      text:
        line.cells === undefined
          ? lineText(line, line === selected, view, columns)
          : cursorOf(line === selected, view) + table.row(line, line === selected),
      line: line.id,
    })),
    ...(isLong ? [{ text: view.style.dim(offScreenWords(top, below, columns)) }] : []),
  ];
}

const LEAST_SEARCH = 6;
/** Longer names are cut: agents can have any name. */
const MAX_TITLE = 24;

function agentColumns(style: Style, columns: number): readonly ListColumn<HomeLine>[] {
  const cell = (name: keyof AgentCells) => (line: HomeLine) => line.cells?.[name] ?? '';
  const most = Math.min(MAX_TITLE, Math.max(6, Math.floor(columns / 4)));
  return [
    {
      title: '',
      cell: ({ mark }) => MARKS[HOME_MARKS[mark]],
      paint: (sign, { mark }) => paintedMark(HOME_MARKS[mark], style, sign),
      dropOrder: 9,
    },
    { title: 'agent', cell: ({ title }) => fitEnd(title, most), dropOrder: 8 },
    { title: 'index', cell: cell('index'), dropOrder: 7 },
    { title: 'files', cell: cell('files'), align: 'right', dropOrder: 1 },
    { title: 'chunks', cell: cell('chunks'), align: 'right', dropOrder: 3 },
    { title: 'indexed', cell: cell('indexed'), dropOrder: 2 },
    { title: 'search', cell: cell('search') },
  ];
}

/** Width of the sparkline, and of what it takes to have room for it. */
const TRAFFIC_COLUMNS = 24;
const TRAFFIC_FROM = 76;

function workRow(
  { news }: HomeState,
  line: HomeLine,
  isSelected: boolean,
  view: HomeView,
  columns: number,
): HomeRow {
  const { activity } = news;
  const hasTraffic = line.id === 'listener' && activity && columns >= TRAFFIC_FROM;
  const room = hasTraffic ? columns - TRAFFIC_COLUMNS - 2 : columns;
  const text = lineText(line, isSelected, view, room);
  // Of the last two hours.
  const bars = hasTraffic
    ? sparkline(activity.requests.slice(-TRAFFIC_COLUMNS), TRAFFIC_COLUMNS)
    : '';
  return { text: spread(text, view.style.dim(bars), columns), line: line.id };
}

const CURSOR_COLUMNS = 2;

function cursorOf(isSelected: boolean, { style }: HomeView): string {
  return isSelected ? style.accent('❯ ') : ' '.repeat(CURSOR_COLUMNS);
}

/** Titles of lines that are not agents: `listener`. */
const TITLE_COLUMNS = 8;
const BETWEEN = ' · ';

function lineText(
  { mark, title, parts }: HomeLine,
  isSelected: boolean,
  view: HomeView,
  columns: number,
): string {
  const { style } = view;
  const state = HOME_MARKS[mark];
  const cursor = cursorOf(isSelected, view);
  const name = padEnd(fitEnd(title, MAX_TITLE), TITLE_COLUMNS);
  const rest = columns - 7 - textWidth(name);
  if (rest < 4) return cursor + fitEnd(`${MARKS[state]}  ${name}`, columns - CURSOR_COLUMNS);
  const words = fitParts(parts, rest);
  const shown = mark === 'off' || mark === 'unknown' ? style.dim(words) : words;
  return `${cursor}${paintedMark(state, style)}  ${isSelected ? style.bold(name) : name}  ${shown}`;
}

/** As many parts as fit; the first one may be cut. */
function fitParts(parts: readonly string[], columns: number): string {
  const [first = ''] = parts;
  let line = fitEnd(first, columns);
  for (const [at, part] of parts.entries()) {
    if (at === 0) continue;
    const longer = `${line}${BETWEEN}${part}`;
    if (textWidth(longer) > columns) {
      // The last part is a sentence, so its beginning is useful too.
      const left = columns - textWidth(line) - BETWEEN.length;
      return at === parts.length - 1 && left >= LEAST_CUT
        ? `${line}${BETWEEN}${fitEnd(part, left)}`
        : line;
    }
    line = longer;
  }
  return line;
}

const LEAST_CUT = 16;

const HOME_MARKS = {
  well: 'ok',
  busy: 'running',
  warning: 'warning',
  fault: 'fault',
  off: 'waiting',
  unknown: 'note',
} as const satisfies Record<HomeMark, Mark>;

/** The line of faults, and below it as many of them as there is room for. */
function faultRows(
  state: HomeState,
  view: HomeView,
  columns: number,
  rows: number,
): readonly HomeRow[] {
  const line = state.list.items.find(({ id }) => id === 'faults');
  if (line === undefined) return [];
  const isSelected = line.id === groupsOf(state).selected?.id;
  const more = problems(state.news)
    .slice(1, rows)
    .map(({ severity, message }) => {
      const text = fitEnd(safeLine(message), columns - TITLE_COLUMNS - 8);
      return {
        text: `${' '.repeat(TITLE_COLUMNS + 6)}${paintedMark(severity, view.style)} ${text}`,
        line: line.id,
      };
    });
  return [{ text: lineText(line, isSelected, view, columns), line: line.id }, ...more];
}

/** In a low terminal, all lines are one list; faults stay below it. */
function compactRows(state: HomeState, view: HomeView, area: TerminalSize): readonly HomeRow[] {
  const { all, selected } = groupsOf(state);
  const lines = all.filter(({ group }) => group !== 'care');
  const room = Math.max(0, area.rows - 1);
  const at = selected === undefined ? 0 : lines.indexOf(selected);
  const last = Math.max(0, lines.length - room);
  const top = at === -1 ? last : Math.min(last, Math.max(0, at - Math.floor(room / 2)));
  return [
    ...lines.slice(top, top + room).map((line) => ({
      text: lineText(line, line === selected, view, area.columns),
      line: line.id,
    })),
    ...faultRows(state, view, area.columns, 1),
  ].slice(-Math.max(1, area.rows));
}

/** Details take at most this many rows, if there is something below them. */
const DETAIL_ROWS = 4;

function restRows(
  state: HomeState,
  view: HomeView,
  columns: number,
  rows: number,
): readonly HomeRow[] {
  const recent = toRows(recentRows(state, view.style, columns, rows - DETAIL_ROWS));
  const details = detailRows(state, view, columns, recent.length === 0 ? rows : DETAIL_ROWS);
  return [...padRows(details, recent.length === 0 ? 0 : DETAIL_ROWS), ...recent];
}

/** Details of the selected line, and an empty row. */
function detailRows(
  state: HomeState,
  view: HomeView,
  columns: number,
  rows: number,
): readonly HomeRow[] {
  const { selected } = groupsOf(state);
  if (selected === undefined) return [];
  return toRows(detailLines(state, selected, view, columns, rows - 1));
}

function padRows(rows: readonly HomeRow[], length: number): readonly HomeRow[] {
  const missing = Math.max(0, length - rows.length);
  return [...rows, ...Array.from({ length: missing }, () => ({ text: '' }))];
}

function toRows(texts: readonly string[]): readonly HomeRow[] {
  return texts.map((text) => ({ text }));
}

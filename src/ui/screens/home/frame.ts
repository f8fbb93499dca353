import {
  CURSOR_COLUMNS,
  cursorOf,
  type ListColumn,
  layoutTable,
  offScreenWords,
} from '../../components/list.js';
import { listView } from '../../components/list-state.js';
import { sparkline } from '../../components/plot.js';
import { fitEnd, padEnd, spread, textWidth } from '../../fit.js';
import { safeLine } from '../../safe-text.js';
import { MARKS, paintedMark, type Style } from '../../style.js';
import type { TerminalSize } from '../../terminal/size.js';
import { detailLines, type HomeView } from './detail.js';
import { type AgentCells, type HomeLine, problems } from './lines.js';
import { plotBlocks, recentRows, stackedPlots } from './side.js';
import type { HomeState } from './state.js';

/** A row of the screen. */
export interface HomeRow {
  readonly text: string;
  /** The line that a click selects. */
  readonly lineId?: string;
}

/** From this size on, plots and logs are next to the lines instead of below them. */
const WIDE_COLUMNS = 130;
const WIDE_ROWS = 20;
const LEFT_SHARE = 0.58;
const BETWEEN_COLUMNS = 4;

/** How many rows each part of the screen has. */
interface HomeLayout {
  /** Rows for agents, with their titles; 0 shows all lines as one list. */
  readonly agents: number;
  readonly faults: number;
  readonly plots: number;
  /** Below the plots: details of the selected line, recent searches, the log. */
  readonly rest: number;
  readonly gap: 0 | 1;
}

/** The body of the screen, as far as there is room. */
export function homeRows(state: HomeState, view: HomeView, area: TerminalSize): readonly HomeRow[] {
  const layout = homeLayout(state, area);
  if (layout.agents === 0) return compactRows(state, view, area);
  const { overview } = state;
  const columns = isWide(area) ? Math.floor(area.columns * LEFT_SHARE) : area.columns;
  const below = isWide(area) ? detailRows : restRows;
  const rows = [
    ...mainRows(state, view, columns, layout),
    ...(layout.plots === 0 ? [] : toRows(plotBlocks(overview, view.style, columns, layout))),
    ...padRows(below(state, view, columns, layout.rest), layout.rest),
    ...faultRows(state, view, columns, layout.faults),
  ].slice(0, area.rows);
  if (!isWide(area)) return rows;
  const rightColumns = area.columns - columns - BETWEEN_COLUMNS;
  const plots = stackedPlots(overview, view.style, rightColumns, area.rows);
  const recent = recentRows(state, view.style, rightColumns, area.rows - plots.length);
  const right = [...plots, ...recent];
  return rows.map((row, at) => {
    const beside = right[at] ?? '';
    if (beside === '') return row;
    return { ...row, text: padEnd(row.text, columns + BETWEEN_COLUMNS) + beside };
  });
}

/** By how many rows a page moves: those of the agents, without their titles. */
export function homePageRows(state: HomeState, area: TerminalSize): number {
  const { agents } = homeLayout(state, area);
  return Math.max(1, (agents === 0 ? area.rows : agents) - 2);
}

function isWide({ columns, rows }: TerminalSize): boolean {
  return columns >= WIDE_COLUMNS && rows >= WIDE_ROWS;
}

const LEAST_AGENT_ROWS = 4;
const PLOT_COLUMNS = 48;
/** With less room, only the first fault is shown. */
const MESSAGE_COLUMNS = 32;

function homeLayout(state: HomeState, area: TerminalSize): HomeLayout {
  const { agents, work } = groupsOf(state);
  const { columns, rows } = area;
  const gap = rows >= 12 ? 1 : 0;
  const mostFaults = rows < 17 || columns < MESSAGE_COLUMNS ? 1 : rows < 30 ? 3 : 6;
  const faults = Math.min(mostFaults, Math.max(1, problems(state.overview).length));
  // A row of titles, or one that reports that there are no agents.
  const needed = agents.length + 1;
  const left = rows - faults - gap - work.length - gap;
  if (left < Math.min(needed, LEAST_AGENT_ROWS)) {
    return { agents: 0, faults: 1, plots: 0, rest: 0, gap };
  }
  const plotHeight = (rows < 17 ? 2 : rows < 30 ? 3 : 4) + gap;
  const hasPlots =
    !isWide(area) &&
    columns >= PLOT_COLUMNS &&
    state.overview.activity &&
    left - plotHeight >= Math.min(needed, LEAST_AGENT_ROWS + 4);
  const plots = hasPlots ? plotHeight : 0;
  const agentRows = Math.min(needed, left - plots);
  return { agents: agentRows, faults, plots, rest: left - plots - agentRows, gap };
}

/** The lines that match the filter, by group. */
function groupsOf({ list }: HomeState) {
  const { matching, selected } = listView(list);
  return {
    agents: matching.filter(({ group }) => group === 'agents'),
    work: matching.filter(({ group }) => group === 'work'),
    all: matching,
    selected,
  };
}

/** The agents, then storage, the listener, flows, tasks and dreams. */
function mainRows(
  state: HomeState,
  view: HomeView,
  columns: number,
  { agents, gap }: HomeLayout,
): readonly HomeRow[] {
  const { work, selected } = groupsOf(state);
  const rows = work.map((line) => {
    const traffic = line.id === 'listener' ? trafficBars(state, columns) : '';
    const room = traffic === '' ? columns : columns - TRAFFIC_COLUMNS - 2;
    const text = lineText(line, line === selected, view.style, room);
    return { text: spread(text, view.style.dim(traffic), columns), lineId: line.id };
  });
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
    // Only the configuration names them.
    const none = state.overview.config?.state === 'faulty' ? 'agents unknown' : 'no agents';
    const words = state.list.filter.text === '' ? none : 'no agent matches the filter';
    return [{ text: view.style.dim(fitEnd(words, columns)) }].slice(0, rows);
  }
  const room = rows - 1;
  const isLong = agents.length > room;
  const count = Math.max(1, isLong ? room - 1 : room);
  // Lines after the agents are always shown, so only agents scroll.
  const top = Math.min(listView(state.list, count).above, Math.max(0, agents.length - count));
  const all = state.list.items.filter(({ group }) => group === 'agents');
  const table = layoutTable(agentColumns(view.style, columns), all, {
    width: columns - CURSOR_COLUMNS,
    style: view.style,
    leastLast: LEAST_SEARCH,
  });
  const visible = agents.slice(top, top + count);
  const below = agents.length - top - visible.length;
  return [
    ...table.titles.map((titles) => ({ text: view.style.dim(`  ${titles}`) })),
    ...visible.map((line) => ({
      text:
        line.cells === undefined
          ? lineText(line, line === selected, view.style, columns)
          : cursorOf(line === selected, view.style) + table.row(line, line === selected),
      lineId: line.id,
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
      cell: ({ mark }) => MARKS[mark],
      paint: (sign, { mark }) => paintedMark(mark, style, sign),
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

/** Width of the sparkline, and of a screen that has room for it. */
const TRAFFIC_COLUMNS = 24;
const TRAFFIC_FROM = 76;

/** The requests of the last two hours; empty without room for them. */
function trafficBars({ overview: { activity } }: HomeState, columns: number): string {
  if (!activity || columns < TRAFFIC_FROM) return '';
  return sparkline(activity.requests.slice(-TRAFFIC_COLUMNS), TRAFFIC_COLUMNS);
}

/** Titles of lines that are not agents: `listener`. */
const TITLE_COLUMNS = 8;
const BETWEEN = ' · ';

function lineText(
  { mark, title, parts }: HomeLine,
  isSelected: boolean,
  style: Style,
  columns: number,
): string {
  const cursor = cursorOf(isSelected, style);
  const name = padEnd(fitEnd(title, MAX_TITLE), TITLE_COLUMNS);
  const rest = columns - 7 - textWidth(name);
  if (rest < 4) return cursor + fitEnd(`${MARKS[mark]}  ${name}`, columns - CURSOR_COLUMNS);
  const words = fitParts(parts, rest);
  const paint = mark === 'waiting' || mark === 'note' ? style.dim : style.plain;
  return `${cursor}${paintedMark(mark, style)}  ${isSelected ? style.bold(name) : name}  ${paint(words)}`;
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
  const more = problems(state.overview)
    .slice(1, rows)
    .map(({ severity, message }) => {
      const text = fitEnd(safeLine(message), columns - TITLE_COLUMNS - 8);
      return {
        text: `${' '.repeat(TITLE_COLUMNS + 6)}${paintedMark(severity, view.style)} ${text}`,
        lineId: line.id,
      };
    });
  return [{ text: lineText(line, isSelected, view.style, columns), lineId: line.id }, ...more];
}

/** In a low terminal, all lines are one list; faults stay below it. */
function compactRows(state: HomeState, view: HomeView, area: TerminalSize): readonly HomeRow[] {
  const { all, selected } = groupsOf(state);
  const lines = all.filter(({ group }) => group !== 'faults');
  const room = Math.max(0, area.rows - 1);
  const at = selected === undefined ? 0 : lines.indexOf(selected);
  const last = Math.max(0, lines.length - room);
  const top = at === -1 ? last : Math.min(last, Math.max(0, at - Math.floor(room / 2)));
  return [
    ...lines.slice(top, top + room).map((line) => ({
      text: lineText(line, line === selected, view.style, area.columns),
      lineId: line.id,
    })),
    ...faultRows(state, view, area.columns, 1),
  ].slice(-Math.max(1, area.rows));
}

/** Rows of the details if there is something below them. */
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

/** Details of the selected line; they leave the last row empty. */
function detailRows(
  state: HomeState,
  view: HomeView,
  columns: number,
  rows: number,
): readonly HomeRow[] {
  const { selected } = listView(state.list);
  if (selected === undefined) return [];
  return toRows(detailLines(state, selected, view, columns).slice(0, Math.max(0, rows - 1)));
}

function padRows(rows: readonly HomeRow[], length: number): readonly HomeRow[] {
  const missing = Math.max(0, length - rows.length);
  return [...rows, ...Array.from({ length: missing }, () => ({ text: '' }))];
}

function toRows(texts: readonly string[]): readonly HomeRow[] {
  return texts.map((text) => ({ text }));
}

import { fitEnd, fitMiddle, padEnd, spread, textWidth } from '../../fit.js';
import { safeLine } from '../../safe-text.js';
import { shownPath } from '../../shown-path.js';
import type { Paint, Style } from '../../style.js';
import { type FooterKey, fittingKeys, type KeyHelp, keyLines } from '../keys.js';
import { insideMargin, withMargin } from '../margin.js';
import type { TerminalSize } from '../terminal-size.js';
import { detailLines } from './detail.js';
import { type HomeLine, type HomeMark, homeLines } from './lines.js';
import type { HomeState } from './state.js';

const MAX_COLUMNS = 120;
/** A name beyond this is cut: agents may be called anything. */
const MAX_TITLE = 24;
const BETWEEN = ' · ';
/** Cursor and mark, each with a blank. */
const LEAD_COLUMNS = 4;
/** So many rows below the lines are kept for what is said of the chosen one. */
const MOST_DETAILS = 8;

/** What a frame is drawn with besides the state. */
export interface HomeFrameOptions {
  readonly style: Style;
  readonly homeDir: string;
}

/** The lines of home at a size; never wider, and never as tall as the terminal. */
export function homeFrame(
  state: HomeState,
  options: HomeFrameOptions,
  size: TerminalSize,
): readonly string[] {
  const { style } = options;
  const { columns, rows: room } = insideMargin(size, MAX_COLUMNS);
  const lines = homeLines(state);
  const chosen = chosenLine(state, lines);
  const head = [style.bold(headLine(state, options, columns)), ''];
  const foot = [
    ...toldLine(state, style, columns),
    ...(state.help ? keyLines(KEYS, style, columns) : []),
    style.dim(footer(state, chosen, columns)),
  ];
  const left = Math.max(1, room - head.length - foot.length - 1);
  const body = bodyLines(lines, chosen, style, columns, left);
  const details = state.help
    ? []
    : detailLines(state, chosen, options, columns, Math.min(MOST_DETAILS, left - body.length - 1));
  const frame = [...head, ...body, ...(details.length === 0 ? [] : ['', ...details]), '', ...foot];
  // Where there is no room at all the keys and what stands above them stay.
  return withMargin(frame, room);
}

/** The line that keys act on: the first where the chosen one is gone. */
export function chosenLine({ chosen }: HomeState, lines: readonly HomeLine[]): HomeLine {
  const found = lines.find(({ key }) => key === chosen) ?? lines[0];
  // The lines of listener, flows, tasks and faults are always there.
  if (found === undefined) throw new TypeError('home has no lines');
  return found;
}

function headLine({ news }: HomeState, { homeDir }: HomeFrameOptions, columns: number): string {
  const { config } = news;
  if (config === undefined) return fitEnd('svc', columns);
  if (config.state !== 'read') {
    return fitEnd(spread('svc', config.state === 'none' ? 'no svc.json' : '', columns), columns);
  }
  const room = columns - textWidth('svc') - 2;
  return spread('svc', room < 8 ? '' : fitMiddle(shownPath(config.file, homeDir), room), columns);
}

/** All lines in groups; without the gaps, and then only those around the chosen one, where it is tight. */
function bodyLines(
  lines: readonly HomeLine[],
  chosen: HomeLine,
  style: Style,
  columns: number,
  room: number,
): readonly string[] {
  const titles = lines.map(({ title }) => textWidth(title));
  const titleColumns = Math.min(
    MAX_TITLE,
    Math.max(6, Math.floor(columns / 4)),
    Math.max(...titles),
  );
  const row = (line: HomeLine): string =>
    rowOf(line, line === chosen, { style, titleColumns, columns });
  const spaced = lines.flatMap((line, at) => {
    const before = lines[at - 1];
    return before === undefined || before.group === line.group ? [row(line)] : ['', row(line)];
  });
  if (spaced.length <= room) return spaced;
  const last = Math.max(0, lines.length - room);
  const from = Math.min(last, Math.max(0, lines.indexOf(chosen) - Math.floor(room / 2)));
  return lines.slice(from, from + room).map(row);
}

interface RowOptions {
  readonly style: Style;
  readonly titleColumns: number;
  readonly columns: number;
}

function rowOf(
  { mark, title, parts }: HomeLine,
  isChosen: boolean,
  { style, titleColumns, columns }: RowOptions,
): string {
  const { sign, paint } = MARKS[mark];
  const cursor = isChosen ? '❯' : ' ';
  const name = padEnd(fitEnd(title, titleColumns), titleColumns);
  const rest = columns - LEAD_COLUMNS - titleColumns - 2;
  if (rest < 4) return fitEnd(`${cursor} ${sign} ${name}`, columns);
  const words = fitParts(parts, rest);
  const shown = mark === 'off' || mark === 'unknown' ? style.dim(words) : words;
  return `${cursor} ${paint(style)(sign)} ${isChosen ? style.bold(name) : name}  ${shown}`;
}

/** As many parts as fit whole; of the first one what fits. */
function fitParts(parts: readonly string[], columns: number): string {
  const [first = ''] = parts;
  let line = fitEnd(first, columns);
  for (const [at, part] of parts.entries()) {
    if (at === 0) continue;
    const longer = `${line}${BETWEEN}${part}`;
    if (textWidth(longer) > columns) {
      // The last word of all is a sentence: its beginning tells something as well.
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

const MARKS: Readonly<
  Record<HomeMark, { readonly sign: string; readonly paint: (style: Style) => Paint }>
> = {
  well: { sign: '✓', paint: ({ green }) => green },
  busy: { sign: '●', paint: ({ cyan }) => cyan },
  warning: { sign: '!', paint: ({ yellow }) => yellow },
  fault: { sign: '✗', paint: ({ red }) => red },
  off: { sign: '○', paint: ({ dim }) => dim },
  unknown: { sign: '·', paint: ({ dim }) => dim },
};

function toldLine({ told, ended }: HomeState, style: Style, columns: number): readonly string[] {
  if (ended !== undefined) {
    const words = `nobody looks any more: ${safeLine(ended)}; r looks again`;
    return [style.yellow(fitEnd(words, columns))];
  }
  if (told === undefined) return [];
  const line = fitEnd(safeLine(told.text), columns);
  return [told.isFault ? style.red(line) : line];
}

const KEYS: readonly KeyHelp[] = [
  ['↑ ↓, k j', 'choose a line'],
  ['enter', 'open what is behind it'],
  ['/', 'search the memory of the chosen agent'],
  ['i', 'bring its index up to date'],
  ['d', 'try its provider: really asks it'],
  ['r', 'look again, now'],
  ['q, ctrl-c', 'leave; in another screen: come back here'],
  ['?, esc', 'close this list'],
];

function footer({ opening }: HomeState, chosen: HomeLine, columns: number): string {
  if (opening !== undefined) return fitEnd('opening …   q leave', columns);
  const isAgent = chosen.target.kind === 'search';
  const keys: readonly FooterKey[] = [
    { text: '↑↓ choose', shown: true, goes: 2 },
    { text: `⏎ ${chosen.opens}`, shown: true, goes: 5 },
    { text: 'i index', shown: isAgent, goes: 4 },
    { text: 'd provider', shown: isAgent, goes: 3 },
    { text: 'r again', shown: true, goes: 1 },
    { text: '? keys', shown: true, goes: 6 },
    { text: 'q leave', shown: true, goes: 7 },
  ];
  return fittingKeys(keys, columns);
}

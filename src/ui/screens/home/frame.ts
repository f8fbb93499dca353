import { fitEnd, fitMiddle, padEnd, spread, textWidth } from '../../fit.js';
import { safeLine, shownPath } from '../../safe-text.js';
import type { Paint, Style } from '../../style.js';
import type { TerminalSize } from '../../terminal/size.js';
import { type FooterKey, fittingKeys, type KeyHelp, keyLines } from '../keys.js';
import { insideMargin, withMargin } from '../lines.js';
import { detailLines } from './detail.js';
import { type HomeLine, type HomeMark, homeLines } from './lines.js';
import type { HomeState } from './state.js';

const MAX_COLUMNS = 120;
/** Longer names are cut: agents can have any name. */
const MAX_TITLE = 24;
const BETWEEN = ' · ';
/** Cursor and mark, each followed by a blank. */
const LEAD_COLUMNS = 4;
/** Rows for the details of the chosen line. */
const MOST_DETAILS = 8;

/** How a frame is drawn. */
export interface HomeFrameOptions {
  readonly style: Style;
  readonly homeDir: string;
}

/** The lines of home at a size; never wider than the terminal, and always shorter. */
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
  // Without room, only the keys and the lines above them are kept.
  return withMargin(frame, room);
}

/** The line that keys act on: the chosen one, or else the first. */
export function chosenLine({ chosen }: HomeState, lines: readonly HomeLine[]): HomeLine {
  const found = lines.find(({ key }) => key === chosen) ?? lines[0];
  // There is always a line for the listener, flows, tasks and problems.
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

/** All lines in groups; without room, no gaps, and then only the lines around the chosen one. */
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

const MARKS: Readonly<
  Record<HomeMark, { readonly sign: string; readonly paint: (style: Style) => Paint }>
> = {
  well: { sign: '✓', paint: ({ ok }) => ok },
  busy: { sign: '●', paint: ({ accent }) => accent },
  warning: { sign: '!', paint: ({ warning }) => warning },
  fault: { sign: '✗', paint: ({ fault }) => fault },
  off: { sign: '○', paint: ({ dim }) => dim },
  unknown: { sign: '·', paint: ({ dim }) => dim },
};

function toldLine({ told, ended }: HomeState, style: Style, columns: number): readonly string[] {
  if (ended !== undefined) {
    const words = `no longer updated: ${safeLine(ended)}; press r to retry`;
    return [style.warning(fitEnd(words, columns))];
  }
  if (told === undefined) return [];
  const line = fitEnd(safeLine(told.text), columns);
  return [told.isFault ? style.fault(line) : line];
}

const KEYS: readonly KeyHelp[] = [
  ['↑ ↓, k j', 'choose a line'],
  ['enter', 'open its screen'],
  ['/', 'search the memory of the chosen agent'],
  ['i', 'update its index'],
  ['d', 'test its provider'],
  ['r', 'refresh now'],
  ['q, ctrl-c', 'quit; in another screen: return here'],
  ['?, esc', 'close help'],
];

function footer({ opening }: HomeState, chosen: HomeLine, columns: number): string {
  if (opening !== undefined) return fitEnd('opening …   q quit', columns);
  const isAgent = chosen.target.kind === 'search';
  const keys: readonly FooterKey[] = [
    { text: '↑↓ choose', shown: true, goes: 2 },
    { text: `⏎ ${chosen.opens}`, shown: true, goes: 5 },
    { text: 'i index', shown: isAgent, goes: 4 },
    { text: 'd provider', shown: isAgent, goes: 3 },
    { text: 'r refresh', shown: true, goes: 1 },
    { text: '? help', shown: true, goes: 6 },
    { text: 'q quit', shown: true, goes: 7 },
  ];
  return fittingKeys(keys, columns);
}

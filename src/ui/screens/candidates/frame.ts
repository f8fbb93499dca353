import { signalBars } from '../../dream/words.js';
import { fitEnd, padEnd, spread, textWidth } from '../../fit.js';
import { formatCount, formatCountOf } from '../../format.js';
import { safeLine } from '../../safe-text.js';
import type { Style } from '../../style.js';
import { type FooterKey, fittingKeys, type KeyHelp, keyLines } from '../keys.js';
import { insideMargin, withMargin } from '../margin.js';
import type { TerminalSize } from '../terminal-size.js';
import { detailLines } from './detail.js';
import { type CandidatesState, chosenCandidate, type ShownCandidate } from './state.js';

/** From this width on the passage stands beside the list, else below it. */
const BESIDE = 100;
const MAX_COLUMNS = 160;
const DIVIDER = ' │ ';

const KEYS: readonly KeyHelp[] = [
  ['↑ ↓, k j', 'choose a candidate'],
  ['p', 'promote it: write it into MEMORY.md now'],
  ['x', 'reject it: no sweep takes it'],
  ['w', 'why: its signals and gates; again for the passage'],
  ['u', 'undo your last decision'],
  ['r', 'read anew'],
  ['q, ctrl-c', 'leave'],
  ['?, esc', 'close this list'],
];

/** How the frame is drawn. */
export interface CandidatesFrameOptions {
  readonly style: Style;
  /** Whose candidates these are. */
  readonly title: string;
}

/** The lines of the screen at a size; never wider, and never as tall as the terminal. */
export function candidatesFrame(
  state: CandidatesState,
  { style, title }: CandidatesFrameOptions,
  size: TerminalSize,
): readonly string[] {
  const { columns, rows: room } = insideMargin(size, MAX_COLUMNS, 8);
  const foot = [
    ...(state.told === undefined ? [] : [fitEnd(safeLine(state.told), columns)]),
    ...(state.help ? keyLines(KEYS, style, columns) : []),
    style.dim(footer(state, columns)),
  ];
  const head = [style.bold(headLine(state, title, columns)), ''];
  const body = bodyLines(state, style, columns, Math.max(0, room - head.length - foot.length));
  return withMargin([...head, ...body, ...foot], room);
}

function headLine({ candidates }: CandidatesState, title: string, columns: number): string {
  const name = fitEnd(`svc · dream candidates · ${safeLine(title)}`, columns);
  if (candidates === undefined) return name;
  const ready = candidates.filter(({ passes }) => passes).length;
  const counts = `${formatCountOf(candidates.length, 'candidate')} · ${formatCount(ready)} ready`;
  return spread(name, counts, columns);
}

function bodyLines(
  state: CandidatesState,
  style: Style,
  columns: number,
  room: number,
): readonly string[] {
  const { candidates } = state;
  if (room <= 0) return [];
  if (candidates === undefined) return ['Reading …'];
  const chosen = chosenCandidate(state);
  if (chosen === undefined) return noneLines(state, columns).slice(0, room);
  if (columns >= BESIDE) {
    const left = Math.floor((columns - DIVIDER.length) / 2);
    const right = columns - left - DIVIDER.length;
    const list = listLines(candidates, chosen, style, left, room);
    const detail = detailLines(state, chosen, style, right, room);
    const height = Math.max(list.length, detail.length);
    return Array.from({ length: height }, (_, row) => {
      const divider = style.dim(DIVIDER);
      return `${padEnd(list[row] ?? '', left)}${divider}${detail[row] ?? ''}`;
    });
  }
  // The passage gets the larger half; a short list leaves it more.
  const forList = Math.min(candidates.length, Math.max(1, Math.floor((room - 1) * 0.45)));
  const list = listLines(candidates, chosen, style, columns, forList);
  const rest = room - list.length - 1;
  if (rest <= 0) return list.slice(0, room);
  const rule = style.dim('─'.repeat(columns));
  return [...list, rule, ...detailLines(state, chosen, style, columns, rest)];
}

function noneLines({ decided }: CandidatesState, columns: number): readonly string[] {
  const words = decided.length === 0 ? 'No candidates yet.' : 'No candidates left.';
  return [fitEnd(words, columns)];
}

/** The rows around the chosen one. */
function listLines(
  candidates: readonly ShownCandidate[],
  chosen: ShownCandidate,
  style: Style,
  columns: number,
  room: number,
): readonly string[] {
  const at = candidates.indexOf(chosen);
  const last = Math.max(0, candidates.length - room);
  const from = Math.min(last, Math.max(0, at - Math.floor(room / 2)));
  return candidates
    .slice(from, from + room)
    .map((candidate) => rowOf(candidate, candidate === chosen, style, columns));
}

function rowOf(
  { passes, score, signals, text }: ShownCandidate,
  isChosen: boolean,
  style: Style,
  columns: number,
): string {
  const mark = passes ? '✓' : '·';
  const start = `${isChosen ? '❯' : ' '} ${mark} ${score.toFixed(2)} ${signalBars(signals)} `;
  const words = fitEnd(safeLine(text), columns - textWidth(start));
  if (isChosen) return `${start}${style.bold(words)}`;
  return passes ? start.replace(mark, style.green(mark)) + words : style.dim(start + words);
}

function footer(state: CandidatesState, columns: number): string {
  if (state.busy) return fitEnd('writing …   q leave', columns);
  const has = chosenCandidate(state) !== undefined;
  const keys: readonly FooterKey[] = [
    { text: '↑↓ choose', shown: (state.candidates?.length ?? 0) > 1, goes: 1 },
    { text: 'p promote', shown: has, goes: 6 },
    { text: 'x reject', shown: has, goes: 5 },
    { text: state.why ? 'w passage' : 'w why', shown: has, goes: 4 },
    { text: 'u undo', shown: state.decided.length > 0, goes: 3 },
    { text: '? keys', shown: true, goes: 7 },
    { text: 'q leave', shown: true, goes: 8 },
  ];
  return fittingKeys(keys, columns);
}

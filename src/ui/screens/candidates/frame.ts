import { formatCount, formatCountOf } from '../../../engine/support/format.js';
import { gateMark } from '../../dream/explain.js';
import {
  GATE_WORDS,
  NOTE_WORDS,
  placeWords,
  SIGNAL_NAMES,
  shortKey,
  signalBars,
} from '../../dream/words.js';
import { fitEnd, padEnd, spread, textWidth, wrapSpans, wrapText } from '../../fit.js';
import { safeLine, safeProse } from '../../safe-text.js';
import { drawScore, type Style } from '../../style.js';
import type { TerminalSize } from '../../terminal/size.js';
import { type FooterKey, fittingKeys, type KeyHelp, keyLines } from '../keys.js';
import { insideMargin, withMargin } from '../lines.js';
import {
  type CandidatesState,
  chosenCandidate,
  type ShownCandidate,
  type ShownPassage,
} from './state.js';

/** From this width on the passage is to the right of the list, otherwise below it. */
const TWO_COLUMNS = 100;
const MAX_COLUMNS = 160;
const DIVIDER = ' │ ';

const KEYS: readonly KeyHelp[] = [
  ['↑ ↓, k j', 'select a candidate'],
  ['p', 'promote: write it to MEMORY.md now'],
  ['x', 'reject: no sweep will promote it'],
  ['w', 'show why, or the passage'],
  ['u', 'undo your last decision'],
  ['r', 'reload'],
  ['q, ctrl-c', 'quit'],
  ['?, esc', 'close this help'],
];

export interface CandidatesFrameOptions {
  readonly style: Style;
  /** Whose candidates these are. */
  readonly title: string;
}

/** The lines of the screen, within the size of the terminal. */
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
  if (candidates === undefined) return ['Loading…'];
  const chosen = chosenCandidate(state);
  if (chosen === undefined) {
    return [
      fitEnd(state.decided.length === 0 ? 'No candidates yet.' : 'No candidates left.', columns),
    ];
  }
  if (columns >= TWO_COLUMNS) {
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

/** The rows around the selected one. */
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
  if (state.busy) return fitEnd('writing…   q quit', columns);
  const has = chosenCandidate(state) !== undefined;
  const keys: readonly FooterKey[] = [
    { text: '↑↓ select', shown: (state.candidates?.length ?? 0) > 1, goes: 1 },
    { text: 'p promote', shown: has, goes: 6 },
    { text: 'x reject', shown: has, goes: 5 },
    { text: state.why ? 'w passage' : 'w why', shown: has, goes: 4 },
    { text: 'u undo', shown: state.decided.length > 0, goes: 3 },
    { text: '? help', shown: true, goes: 7 },
    { text: 'q quit', shown: true, goes: 8 },
  ];
  return fittingKeys(keys, columns);
}

const NUMBER = 5;
const GAP = 2;
/** Lines shown before the claim's own. */
const LEAD = 2;
const BAR = 10;

/** The selected candidate's passage, or its gates and signals. */
function detailLines(
  { passages, why }: CandidatesState,
  candidate: ShownCandidate,
  style: Style,
  columns: number,
  room: number,
): readonly string[] {
  const head = style.dim(fitEnd(`${placeWords(candidate)} · ${shortKey(candidate.key)}`, columns));
  const passage = passages[candidate.key];
  const below = why
    ? whyLines(candidate, style, columns)
    : passage === undefined
      ? []
      : passageLines(passage, candidate, style, columns, room - 1);
  return [head, ...below].slice(0, room);
}

function passageLines(
  passage: ShownPassage,
  candidate: ShownCandidate,
  style: Style,
  columns: number,
  room: number,
): readonly string[] {
  const { state, claim, startLine, lines } = passage;
  const note = state === 'found' ? [] : wrapText(`${NOTE_WORDS[state]}; it was:`, columns);
  const was = state === 'found' ? [] : wrapText(safeLine(candidate.text), columns);
  const height = room - note.length - was.length;
  const focus = claim?.startLine ?? candidate.startLine;
  const first = Math.max(startLine, focus - LEAD);
  const rows: string[] = [];
  for (let number = first; rows.length < height; number++) {
    const line = lines[number - startLine];
    if (line === undefined) break;
    const isOwn = claim !== undefined && number >= claim.startLine && number <= claim.endLine;
    rows.push(...numbered(line, number, isOwn, style, columns));
  }
  return [...note.map(style.yellow), ...was, ...rows.slice(0, Math.max(0, height))];
}

function numbered(
  line: string,
  number: number,
  isOwn: boolean,
  style: Style,
  columns: number,
): readonly string[] {
  // A line may be megabytes long: show only what fits.
  const text = safeProse(line.slice(0, 4000));
  const spans = wrapSpans(text, columns - NUMBER - GAP);
  return spans.map(({ start, end }, row) => {
    const gutter = row === 0 ? String(number).padStart(NUMBER) : ' '.repeat(NUMBER);
    const words = text.slice(start, end);
    return `${style.dim(gutter)}${' '.repeat(GAP)}${isOwn ? words : style.dim(words)}`.trimEnd();
  });
}

function whyLines(candidate: ShownCandidate, style: Style, columns: number): readonly string[] {
  const { signals, lightBoost, remBoost, gates, recalls, questions, days } = candidate;
  const failed = gates.filter(({ passed }) => !passed);
  const passed = gates.filter((gate) => gate.passed);
  // Failed gates first: there may not be room for all.
  const gateRows = [...failed, ...passed].map(({ gate, passed: isGood, why }) => {
    const words = fitEnd(`${GATE_WORDS[gate]}: ${safeLine(why)}`, columns - 2);
    return `${gateMark(isGood, style)} ${words}`;
  });
  const signalRows = SIGNAL_NAMES.map((name) => {
    const bar = drawScore(signals[name], BAR).padEnd(BAR);
    return fitEnd(`  ${name.padEnd(14)}${bar} ${signals[name].toFixed(2)}`, columns);
  });
  const boosts = `  boosts        light ${lightBoost.toFixed(3)}, rem ${remBoost.toFixed(3)}`;
  const counts = `  ${formatCountOf(recalls, 'recall')}, ${formatCountOf(questions, 'question')}, ${formatCountOf(days, 'day')}`;
  return [...gateRows, ...signalRows, fitEnd(boosts, columns), fitEnd(counts, columns)];
}

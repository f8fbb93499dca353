import { drawScore } from '../../bar.js';
import { gateMark } from '../../dream/explain.js';
import { GATE_WORDS, NOTE_WORDS, placeWords, SIGNAL_NAMES, shortKey } from '../../dream/words.js';
import { EXACT_MEASURE, fitEnd } from '../../fit.js';
import { formatCountOf } from '../../format.js';
import { safeLine, safeProse } from '../../safe-text.js';
import type { Style } from '../../style.js';
import { wrapSpans } from '../../wrap.js';
import type { CandidatesState, ShownCandidate, ShownPassage } from './state.js';

const NUMBER = 5;
const GAP = 2;
/** Lines shown before the claim's own. */
const LEAD = 2;
const BAR = 10;

/** What is told of the chosen candidate: its passage in its note, or why it passes or does not. */
export function detailLines(
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
  const note = state === 'found' ? [] : wrapped(`${NOTE_WORDS[state]}; it was:`, columns);
  const was = state === 'found' ? [] : wrapped(safeLine(candidate.text), columns);
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
  // A line may be megabytes long: what can be seen of it is enough.
  const text = safeProse(line.slice(0, 4000));
  const spans = wrapSpans(text, columns - NUMBER - GAP, EXACT_MEASURE);
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
  // What is wrong comes first: there may not be room for all.
  const gateRows = [...failed, ...passed].map(({ gate, passed: isGood, why }) => {
    const words = fitEnd(`${GATE_WORDS[gate]}: ${safeLine(why)}`, columns - 2);
    return `${gateMark(isGood, style)} ${words}`;
  });
  const signalRows = SIGNAL_NAMES.map((name) => {
    const bar = drawScore(signals[name], BAR).padEnd(BAR);
    return fitEnd(`  ${name.padEnd(14)}${bar} ${signals[name].toFixed(2)}`, columns);
  });
  const boosts = `  boosts        light ${lightBoost.toFixed(3)}, rem ${remBoost.toFixed(3)}`;
  const counts = `  asked ${formatCountOf(recalls, 'time')}, ${formatCountOf(questions, 'question')}, ${formatCountOf(days, 'day')}`;
  return [...gateRows, ...signalRows, fitEnd(boosts, columns), fitEnd(counts, columns)];
}

function wrapped(text: string, columns: number): readonly string[] {
  return wrapSpans(text, columns, EXACT_MEASURE).map(({ start, end }) => text.slice(start, end));
}

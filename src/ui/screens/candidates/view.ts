import type { DreamCandidatesOutput, DreamExplainOutput } from '../../../engine/dreaming/index.js';
import { formatCountOf } from '../../../engine/support/format.js';
import type { ListColumn } from '../../components/list.js';
import type { ListItem } from '../../components/list-state.js';
import { gateMark } from '../../dream/candidates.js';
import {
  GATE_WORDS,
  NOTE_WORDS,
  placeWords,
  SIGNAL_NAMES,
  shortKey,
  signalBars,
} from '../../dream/words.js';
import { fitEnd, wrapSafe, wrapSpans, wrapText } from '../../fit.js';
import { safeLine, safeProse } from '../../safe-text.js';
import { drawScore, type Style } from '../../style.js';

/** A candidate with its gates. */
export type CandidateWithGates = DreamCandidatesOutput['candidates'][number] & {
  readonly gates: DreamExplainOutput['gates'];
};

/** A candidate in the list. */
export interface CandidateItem extends ListItem {
  readonly candidate: CandidateWithGates;
}

/** The lines around a claim, as `claimPassage` of the engine returns them. */
export interface CandidatePassage {
  readonly state: 'changed' | 'found' | 'missing';
  readonly startLine: number;
  readonly lines: readonly string[];
  readonly claim: { readonly startLine: number; readonly endLine: number } | undefined;
}

/** A decision made on the screen, with what undoing it needs. */
export type UndoableDecision =
  | { readonly kind: 'promoted'; readonly key: string; readonly sweep: string }
  | { readonly kind: 'rejected'; readonly key: string };

/** The columns of the list. */
export function candidateColumns(style: Style): readonly ListColumn<CandidateItem>[] {
  return [
    {
      title: 'score',
      cell: ({ candidate: { promotes, score } }) => `${promotes ? '✓' : '·'} ${score.toFixed(2)}`,
      paint: (text, { candidate }) =>
        (candidate.promotes ? style.ok : style.dim)(text.slice(0, 1)) + text.slice(1),
    },
    {
      title: 'signals',
      cell: ({ candidate }) => signalBars(candidate.signals),
      paint: style.accent,
    },
    { title: 'claim', cell: ({ candidate }) => safeLine(candidate.text) },
  ];
}

/** Lines of the note above the statement. */
const LEAD = 2;
const NUMBER = 5;
const GAP = 2;
/** A line may be megabytes long. */
const MOST_CHARS = 4000;

/** The statement in its note, for a width. */
export function passageRows(
  { state, claim, startLine, lines }: CandidatePassage,
  candidate: CandidateWithGates,
  style: Style,
  columns: number,
): readonly string[] {
  const warning =
    state === 'found'
      ? []
      : [
          ...wrapText(`${NOTE_WORDS[state]}; it was:`, columns).map(style.warning),
          ...wrapSafe(candidate.text, columns),
        ];
  const first = Math.max(startLine, (claim?.startLine ?? candidate.startLine) - LEAD);
  const rows = lines.slice(first - startLine).flatMap((line, at) => {
    const number = first + at;
    const isOwn = claim !== undefined && number >= claim.startLine && number <= claim.endLine;
    const text = safeProse(line.slice(0, MOST_CHARS));
    return wrapSpans(text, columns - NUMBER - GAP).map(({ start, end }, row) => {
      const gutter = style.dim((row === 0 ? String(number) : '').padStart(NUMBER));
      const words = text.slice(start, end);
      return `${gutter}${' '.repeat(GAP)}${isOwn ? words : style.dim(words)}`.trimEnd();
    });
  });
  return [placeRow(candidate, style, columns), ...warning, ...rows];
}

function placeRow(candidate: CandidateWithGates, style: Style, columns: number): string {
  return style.dim(fitEnd(`${placeWords(candidate)} · ${shortKey(candidate.key)}`, columns));
}

const BAR = 10;

/** Why a sweep would promote it or not, for a width; failed gates first. */
export function whyRows(
  candidate: CandidateWithGates,
  style: Style,
  columns: number,
): readonly string[] {
  const { signals, lightBoost, remBoost, gates, recalls, questions, days } = candidate;
  const gateRows = gates
    .toSorted((a, b) => Number(a.passed) - Number(b.passed))
    .map(({ gate, passed, why }) => {
      const words = fitEnd(`${GATE_WORDS[gate]}: ${safeLine(why)}`, columns - 2);
      return `${gateMark(passed, style)} ${words}`;
    });
  const signalRows = SIGNAL_NAMES.map((name) => {
    const bar = drawScore(signals[name], BAR).padEnd(BAR);
    return `  ${name.padEnd(14)}${bar} ${signals[name].toFixed(2)}`;
  });
  const counts = [
    formatCountOf(recalls, 'recall'),
    formatCountOf(questions, 'question or day', 'questions or days'),
    formatCountOf(days, 'day'),
  ];
  const boosts = `  boosts        light ${lightBoost.toFixed(3)}, rem ${remBoost.toFixed(3)}`;
  const rows = [...signalRows, boosts, `  ${counts.join(', ')}`];
  return [
    placeRow(candidate, style, columns),
    ...gateRows,
    ...rows.map((row) => fitEnd(row, columns)),
  ];
}

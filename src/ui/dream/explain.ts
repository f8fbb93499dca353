import type { DreamExplainOutput } from '../../engine/dreaming/index.js';
import { safeLine } from '../safe-text.js';
import { drawScore, type Style } from '../style.js';
import { alignRows, renderTable, right } from '../table.js';
import { GATE_WORDS, LONG_TERM_WORDS, NOTE_WORDS, placeWords } from './words.js';

const BAR = 10;

/** Text of `svc dream explain`. */
export function renderExplanation(claim: DreamExplainOutput, style: Style): string {
  return [
    style.bold(safeLine(claim.text)),
    `${style.dim('note')}    ${placeWords(claim)}`,
    `${style.dim('key')}     ${claim.key}`,
    `${style.dim('status')}  ${fateWords(claim)}`,
    '',
    scoreTable(claim, style).trimEnd(),
    '',
    ...gateLines(claim.gates, style),
    '',
    `${gateMark(claim.note === 'found', style)} ${NOTE_WORDS[claim.note]}`,
    `${gateMark(isNews(claim), style)} ${LONG_TERM_WORDS[claim.longTermMemory]}`,
    ...claim.trail.map((step) => `· ${trailWords(step)}`),
    '',
    verdictOf(claim),
    '',
  ].join('\n');
}

function scoreTable({ parts, score }: DreamExplainOutput, style: Style): string {
  const rows = parts.map(({ part, value, weight, adds, why }) => [
    part === 'light' || part === 'rem' ? `${part} boost` : part,
    drawScore(value, BAR).padEnd(BAR),
    value.toFixed(2),
    `× ${weight.toFixed(2)}`,
    adds.toFixed(3),
    safeLine(why),
  ]);
  return renderTable(
    ['signal', ' ', right('value'), 'weight', right('adds'), 'from'],
    [...rows, [style.bold('score'), '', '', '', style.bold(score.toFixed(3)), '']],
    style,
  );
}

function gateLines(gates: DreamExplainOutput['gates'], style: Style): readonly string[] {
  const rows = gates.map(({ gate, passed, why }) => [
    gateMark(passed, style),
    GATE_WORDS[gate],
    safeLine(why),
  ]);
  return alignRows(rows);
}

/** Distinguishable without color. */
export function gateMark(isGood: boolean, style: Style): string {
  return isGood ? style.ok('✓') : style.fault('✗');
}

function isNews({ longTermMemory }: DreamExplainOutput): boolean {
  return longTermMemory === 'new' || longTermMemory === 'renews';
}

function fateWords({ fate, decidedAt, sweep }: DreamExplainOutput): string {
  if (decidedAt === null) return fate;
  const by = sweep === null || sweep === '' ? '' : ` by sweep ${safeLine(sweep)}`;
  return `${fate} ${decidedAt.slice(0, 10)}${by}`;
}

function trailWords({ sweep, day, change, other }: DreamExplainOutput['trail'][number]): string {
  const by = `on ${day} (sweep ${safeLine(sweep)})`;
  const text = other === null ? '' : `: ${safeLine(other)}`;
  switch (change) {
    case 'added':
      return `added to MEMORY.md ${by}`;
    case 'replaced':
      return `replaced an older entry ${by}${text}`;
    case 'superseded':
      return `replaced by a newer statement ${by}${text}`;
    case 'retired':
      return `moved to the archive ${by}`;
  }
}

function verdictOf(claim: DreamExplainOutput): string {
  if (claim.fate === 'promoted') return 'It was already promoted.';
  if (claim.fate === 'rejected') return 'It was rejected: no sweep will promote it.';
  if (!claim.passes) return 'The next sweep will not promote it.';
  if (claim.note !== 'found') return 'It passes every gate, but the next sweep will skip it.';
  return isNews(claim)
    ? 'The next sweep will promote it.'
    : 'The next sweep has nothing to write: MEMORY.md already contains it.';
}

import type {
  DreamBackfillOutput,
  DreamCandidatesOutput,
  DreamExplainOutput,
  DreamPromoteOutput,
  DreamRejectOutput,
  DreamSignalsOutput,
  DreamUndoOutput,
} from '../../engine/dreaming/index.js';
import { formatCount, formatCountOf, formatRelativeTime } from '../../engine/support/format.js';
import { safeLine } from '../safe-text.js';
import { drawScore, MARKS, paintedMark, type Style, type View } from '../style.js';
import { alignRows, limitNote, renderTable, right } from '../table.js';
import {
  decisionWords,
  GATE_WORDS,
  isPromotion,
  NOTE_WORDS,
  placeWords,
  SIGNAL_NAMES,
  shortKey,
  signalBars,
  skippedLines,
} from './words.js';

/** Text of `svc dream candidates` without a screen. */
export function renderCandidates(
  { candidates, total, ready }: DreamCandidatesOutput,
  options: View,
): string {
  const { style } = options;
  if (total === 0) {
    return 'No candidates yet. Claims in daily notes become candidates when a search recalls them or a sweep reads the notes.\n';
  }
  const rows = candidates.map((candidate) => {
    const { promotes, score, signals, recalls, key, text } = candidate;
    const mark = promotes ? paintedMark('ok', style) : MARKS.note;
    const cells = [mark, score.toFixed(2), signalBars(signals), formatCount(recalls)];
    return [...cells, shortKey(key), safeLine(text)];
  });
  const columns = [' ', right('score'), 'signals', right('recalls'), 'key', 'claim'];
  const limit = total === rows.length ? '' : ` (showing the best ${formatCount(rows.length)})`;
  const counts = `${formatCountOf(total, 'candidate')}${limit}; ✓ ${formatCount(ready)} would be promoted now`;
  const legend = style.dim(`signals: ${SIGNAL_NAMES.join(', ')}`);
  return `${renderTable(columns, rows, options)}\n${counts}\n${legend}\n`;
}

/** Text of `svc dream signals`. */
export function renderSignals(
  { claims, total }: DreamSignalsOutput,
  { isOn, ...options }: View & { readonly isOn: boolean },
): string {
  if (total === 0) {
    return isOn
      ? 'No claims recalled yet.\n'
      : options.hintFor(
          'No claims recalled yet. Searches are only recorded while dreaming is on: run "svc dream enable".\n',
        );
  }
  const rows = claims.map((claim) => {
    const { lastSignalAt, recalls, notes, grounded, questions, averageScore, fate } = claim;
    const last = formatRelativeTime(Date.parse(lastSignalAt), options.nowMs);
    const counts = [recalls, questions, notes + grounded].map(formatCount);
    const cells = [last, ...counts, averageScore.toFixed(2), fate];
    return [...cells, shortKey(claim.key), safeLine(claim.text)];
  });
  const columns = [
    { title: 'last signal', dropOrder: 4 },
    { ...right('recalls'), dropOrder: 5 },
    { ...right('diversity'), dropOrder: 1 },
    { ...right('notes'), dropOrder: 2 },
    { ...right('score'), dropOrder: 3 },
    { title: 'status', dropOrder: 6 },
    'key',
    'claim',
  ];
  const counts = { listed: rows.length, total, noun: 'claim' };
  return renderTable(columns, rows, options) + limitNote(counts, options.style);
}

/** Text of `svc dream promote`. */
export function renderPromotion(
  promotion: DreamPromoteOutput,
  { hintFor }: Pick<View, 'hintFor'>,
): string {
  const { text, sweep } = promotion;
  const lines = [safeLine(text), `  ${placeWords(promotion)}: ${decisionWords(promotion)}`];
  if (isPromotion(promotion) && sweep !== null)
    lines.push(hintFor(`  undo with "svc dream undo ${safeLine(sweep)}"`));
  return `${lines.join('\n')}\n`;
}

/** Text of `svc dream reject`. @param before whether it was promoted, and which sweep to undo for that */
export function renderRejection(
  claim: DreamRejectOutput,
  before: { readonly wasPromoted: boolean; readonly sweep: string | undefined },
  { hintFor }: Pick<View, 'hintFor'>,
): string {
  const lines = [
    safeLine(claim.text),
    `  ${placeWords(claim)}: rejected, no sweep will promote it`,
  ];
  if (before.sweep !== undefined) {
    lines.push(
      hintFor(
        `  its entry in MEMORY.md stays; edit the file to remove it, or undo its whole sweep with "svc dream undo ${safeLine(before.sweep)}"`,
      ),
    );
  } else if (before.wasPromoted) {
    lines.push('  what is in MEMORY.md about it stays; edit the file to remove it');
  }
  return `${lines.join('\n')}\n`;
}

/** Text of `svc dream undo`. */
export function renderUndo({ sweep, undone, kept }: DreamUndoOutput): string {
  const head = `sweep ${safeLine(sweep)}: ${formatCountOf(undone, 'change')} to MEMORY.md undone`;
  const lines = kept.map(({ key, why }) =>
    why === 'edited'
      ? `  kept ${shortKey(key)}: it was edited since`
      : `  ${shortKey(key)} no longer exists`,
  );
  return `${[head, ...lines].join('\n')}\n`;
}

const MAX_CLAIMS_LISTED = 40;

/** Text of `svc dream backfill`. */
export function renderBackfill(
  { id, backfilled, rolledBack }: DreamBackfillOutput,
  view: Pick<View, 'hintFor'>,
): string {
  const lines =
    rolledBack === undefined
      ? backfilledLines(backfilled, id, view)
      : [
          `backfill ${safeLine(id ?? '')} rolled back: ${formatCountOf(rolledBack.claims, 'claim')} restored`,
        ];
  return `${lines.join('\n')}\n`;
}

function backfilledLines(
  backfilled: DreamBackfillOutput['backfilled'],
  id: string | null,
  { hintFor }: Pick<View, 'hintFor'>,
): readonly string[] {
  if (backfilled === undefined) return [];
  const { dryRun, notes, notesLeft, leans, claims, skipped } = backfilled;
  const counts = (['lasting', 'durable', 'unclear', 'situational'] as const).map(
    (lean) => `${formatCount(leans[lean])} ${lean}`,
  );
  return [
    `${formatCountOf(notes, 'note')}: ${counts.join(', ')}`,
    `${formatCountOf(claims.length, 'claim')} ${dryRun ? 'would get signals' : 'got signals'}`,
    ...(notes === 0
      ? ['  only dated notes in memory/ are read, such as memory/2026-02-03.md']
      : []),
    ...claims.slice(0, MAX_CLAIMS_LISTED).flatMap(({ key, text, lean, ...place }) => {
      return [
        `  + ${safeLine(text)}`,
        `    ${shortKey(key)} · ${placeWords(place)} · ${lean === 'lasting' ? '2 signals' : '1 signal'}`,
      ];
    }),
    ...(claims.length > MAX_CLAIMS_LISTED
      ? [`  … and ${formatCount(claims.length - MAX_CLAIMS_LISTED)} more`]
      : []),
    ...skippedLines(skipped),
    ...(notesLeft === 0
      ? []
      : [`  ${formatCountOf(notesLeft, 'older note')} not read: pass their folder with --path`]),
    ...(id === null
      ? []
      : [hintFor(`  undo with "svc dream backfill --rollback ${safeLine(id)}"`)]),
  ];
}

const BAR_COLUMNS = 10;

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
    ...longTermLines(claim, style),
    ...claim.trail.map((step) => `· ${trailWords(step)}`),
    '',
    verdictOf(claim),
    '',
  ].join('\n');
}

function scoreTable({ parts, score }: DreamExplainOutput, style: Style): string {
  const rows = parts.map(({ part, value, weight, adds, why }) => [
    part === 'light' || part === 'rem' ? `${part} boost` : part,
    drawScore(value, BAR_COLUMNS).padEnd(BAR_COLUMNS),
    value.toFixed(2),
    `× ${weight.toFixed(2)}`,
    adds.toFixed(3),
    safeLine(why),
  ]);
  return renderTable(
    ['signal', ' ', right('value'), 'weight', right('adds'), 'from'],
    [...rows, [style.bold('score'), '', '', '', style.bold(score.toFixed(3)), '']],
    { style },
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
  return paintedMark(isGood ? 'ok' : 'failed', style);
}

const LONG_TERM_WORDS: Readonly<Record<DreamExplainOutput['longTermMemory'], string>> = {
  new: 'not in MEMORY.md yet',
  present: 'already an entry in MEMORY.md',
  said: 'already covered by MEMORY.md',
  renews: 'updates an entry in MEMORY.md',
};

/** Instead of a claim that a later note contradicts, a sweep compares the newer one with `MEMORY.md`. */
function longTermLines(claim: DreamExplainOutput, style: Style): readonly string[] {
  const { note, longTermMemory } = claim;
  if (note === 'superseded' && longTermMemory !== 'present') return [];
  return [`${gateMark(isNews(claim), style)} ${LONG_TERM_WORDS[longTermMemory]}`];
}

function isNews({ longTermMemory }: DreamExplainOutput): boolean {
  return longTermMemory === 'new' || longTermMemory === 'renews';
}

function fateWords(claim: DreamExplainOutput): string {
  const { fate, decidedAt, sweep } = claim;
  if (decidedAt === null) return fate;
  const what = wasWritten(claim) ? fate : 'found in MEMORY.md';
  const by = sweep === null || sweep === '' ? '' : ` by sweep ${safeLine(sweep)}`;
  return `${what} ${decidedAt.slice(0, 10)}${by}`;
}

/** False for a promoted claim that no sweep wrote, because `MEMORY.md` had it already. */
function wasWritten({ fate, trail }: DreamExplainOutput): boolean {
  return fate !== 'promoted' || trail.length > 0;
}

function trailWords({ sweep, day, change, other }: DreamExplainOutput['trail'][number]): string {
  const by = `on ${day} (sweep ${safeLine(sweep)})`;
  const text = other === null ? '' : `: ${safeLine(other)}`;
  return {
    added: `added to MEMORY.md ${by}`,
    replaced: `replaced an older entry ${by}${text}`,
    superseded: `replaced by a newer statement ${by}${text}`,
    retired: `moved to the archive ${by}`,
  }[change];
}

function verdictOf(claim: DreamExplainOutput): string {
  if (claim.fate === 'promoted') {
    const isReplaced = claim.trail.at(-1)?.change === 'superseded';
    if (isReplaced) return 'A newer statement replaced it.';
    return wasWritten(claim) ? 'It was already promoted.' : 'MEMORY.md already contained it.';
  }
  if (claim.fate === 'rejected') return 'It was rejected: no sweep will promote it.';
  if (!claim.passes) return 'The next sweep will not promote it.';
  if (claim.note !== 'found') return 'It passes every gate, but the next sweep will skip it.';
  return isNews(claim)
    ? 'The next sweep will promote it.'
    : 'The next sweep has nothing to write: MEMORY.md already contains it.';
}

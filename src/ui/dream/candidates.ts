import type {
  DreamBackfillOutput,
  DreamCandidatesOutput,
  DreamPromoteOutput,
  DreamRejectOutput,
  DreamSignalsOutput,
  DreamUndoOutput,
} from '../../engine/dreaming/index.js';
import { formatCount, formatCountOf, formatRelativeTime } from '../../engine/support/format.js';
import { safeLine } from '../safe-text.js';
import type { View } from '../style.js';
import { type Column, renderTable, right } from '../table.js';
import { decisionWords, placeWords, SIGNAL_NAMES, shortKey, signalBars } from './words.js';

/** How tables of claims are drawn. */
export type ClaimTableOptions = Pick<View, 'columns' | 'style'>;

/** Text of `svc dream candidates` without a screen. */
export function renderCandidates(
  { candidates, total, ready }: DreamCandidatesOutput,
  options: ClaimTableOptions,
): string {
  const { style } = options;
  if (total === 0) {
    return 'No candidates yet. Claims in daily notes become candidates when a search recalls them or a sweep reads the notes.\n';
  }
  const rows = candidates.map((candidate) => {
    const { passes, score, signals, recalls, key, text } = candidate;
    const mark = passes ? style.ok('✓') : '·';
    const cells = [mark, score.toFixed(2), signalBars(signals), formatCount(recalls)];
    return { cells: [...cells, shortKey(key)], text };
  });
  const columns: readonly Column[] = [' ', right('score'), 'signals', right('recalls'), 'key'];
  const shown = total === rows.length ? '' : ` (showing the best ${formatCount(rows.length)})`;
  const sum = `${formatCountOf(total, 'candidate')}${shown}; ✓ ${formatCount(ready)} would be promoted now`;
  const legend = style.dim(`signals: ${SIGNAL_NAMES.join(', ')}`);
  return `${claimTable(columns, rows, options)}\n${sum}\n${legend}\n`;
}

/** Text of `svc dream signals`. */
export function renderSignals(
  { claims, total }: DreamSignalsOutput,
  options: ClaimTableOptions & { readonly nowMs: number },
): string {
  if (total === 0) return 'No claims recalled yet.\n';
  const rows = claims.map((claim) => {
    const { lastSignalAt, recalls, notes, grounded, questions, averageScore, fate } = claim;
    const last = formatRelativeTime(Date.parse(lastSignalAt), options.nowMs);
    const counts = [recalls, questions, notes + grounded].map(formatCount);
    const cells = [last, ...counts, averageScore.toFixed(2), fate, shortKey(claim.key)];
    return { cells, text: claim.text };
  });
  const columns: readonly Column[] = [
    'last signal',
    right('recalls'),
    right('questions'),
    right('notes'),
    right('score'),
    'status',
    'key',
  ];
  const rest = total - rows.length;
  const more = rest > 0 ? `\n${formatCount(rest)} more; use --limit to show them\n` : '';
  return `${claimTable(columns, rows, options)}${more}`;
}

/** A table whose last column, the claim, is cut at the width of the terminal. */
function claimTable(
  columns: readonly Column[],
  rows: readonly { readonly cells: readonly string[]; readonly text: string }[],
  { style, columns: width }: ClaimTableOptions,
): string {
  const cells = rows.map((row) => [...row.cells, safeLine(row.text)]);
  return renderTable([...columns, 'claim'], cells, style, width);
}

/** Text of `svc dream promote`. */
export function renderPromotion(promotion: DreamPromoteOutput): string {
  const { text, sweep } = promotion;
  const lines = [safeLine(text), `  ${placeWords(promotion)}: ${decisionWords(promotion)}`];
  const isWritten = promotion.decision === 'promote' || promotion.decision === 'renew';
  if (isWritten && sweep !== null) lines.push(`  undo with: svc dream undo ${safeLine(sweep)}`);
  return `${lines.join('\n')}\n`;
}

/** Text of `svc dream reject`. */
export function renderRejection(claim: DreamRejectOutput): string {
  return `${safeLine(claim.text)}\n  ${placeWords(claim)}: rejected, no sweep will promote it\n`;
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

const MOST_SHOWN = 40;

/** Text of `svc dream backfill`. */
export function renderBackfill({ id, backfilled, rolledBack }: DreamBackfillOutput): string {
  const lines =
    rolledBack === undefined
      ? backfilledLines(backfilled, id)
      : [
          `backfill ${safeLine(id ?? '')} rolled back: ${formatCountOf(rolledBack.claims, 'claim')} restored`,
        ];
  return `${lines.join('\n')}\n`;
}

function backfilledLines(
  backfilled: DreamBackfillOutput['backfilled'],
  id: string | null,
): readonly string[] {
  if (backfilled === undefined) return [];
  const { dryRun, notes, notesLeft, leans, claims, skipped } = backfilled;
  const { lasting, durable, unclear, situational } = leans;
  return [
    `${formatCountOf(notes, 'note')}: ${lasting} lasting, ${durable} durable, ${unclear} unclear, ${situational} situational`,
    `${formatCountOf(claims.length, 'claim')} ${dryRun ? 'would get signals' : 'got signals'}`,
    ...claims.slice(0, MOST_SHOWN).flatMap(({ key, text, lean, ...place }) => {
      return [
        `  + ${safeLine(text)}`,
        `    ${shortKey(key)} · ${placeWords(place)} · ${lean === 'lasting' ? '2 signals' : '1 signal'}`,
      ];
    }),
    ...(claims.length > MOST_SHOWN ? [`  … and ${claims.length - MOST_SHOWN} more`] : []),
    ...skipped.map(({ path, reason }) => `  skipped ${safeLine(path)}: ${reason}`),
    ...(notesLeft === 0
      ? []
      : [`  ${formatCountOf(notesLeft, 'older note')} not read: pass their folder with --path`]),
    ...(id === null ? [] : [`  undo with: svc dream backfill --rollback ${safeLine(id)}`]),
  ];
}

import type {
  DreamCandidatesOutput,
  DreamSignalsOutput,
} from '../../engine/dreaming/output-schemas.js';
import { formatCount, formatCountOf, formatRelativeTime } from '../format.js';
import { safeLine } from '../safe-text.js';
import type { Style } from '../style.js';
import { fitLastColumn, renderTable, type TableColumn } from '../table.js';
import { SIGNAL_NAMES, shortKey, signalBars } from './words.js';

/** How tables of claims are drawn. */
export interface ClaimTableOptions {
  readonly style: Style;
  /** Width of the terminal; undefined (a pipe) leaves everything whole. */
  readonly columns: number | undefined;
}

/** The answer of `svc dream candidates` without a screen. */
export function renderCandidates(
  { candidates, total, ready }: DreamCandidatesOutput,
  options: ClaimTableOptions,
): string {
  const { style } = options;
  if (total === 0) return `${NO_CANDIDATES}\n`;
  const rows = candidates.map((candidate) => {
    const { passes, score, signals, recalls, key, text } = candidate;
    const mark = passes ? style.green('✓') : '·';
    const cells = [mark, score.toFixed(2), signalBars(signals), formatCount(recalls)];
    return { cells: [...cells, shortKey(key)], text };
  });
  const columns: readonly TableColumn[] = [
    { title: ' ' },
    { title: 'score', align: 'right' },
    { title: 'signals' },
    { title: 'asked', align: 'right' },
    { title: 'key' },
  ];
  const shown = total === rows.length ? '' : `, the best ${formatCount(rows.length)} shown`;
  const sum = `${formatCountOf(total, 'candidate')}${shown}; ✓ ${formatCount(ready)} would be promoted now`;
  const legend = style.dim(`signals: ${SIGNAL_NAMES.join(', ')}`);
  return `${claimTable(columns, rows, options)}\n${sum}\n${legend}\n`;
}

const NO_CANDIDATES =
  'No candidates yet: claims of daily notes become candidates when searches find them, or when a sweep reads the notes.';

/** The answer of `svc dream signals`. */
export function renderSignals(
  { claims, total }: DreamSignalsOutput,
  options: ClaimTableOptions & { readonly nowMs: number },
): string {
  if (total === 0) return 'Nothing was recalled yet.\n';
  const rows = claims.map((claim) => {
    const { lastSignalAt, recalls, notes, grounded, questions, averageScore, fate } = claim;
    const last = formatRelativeTime(Date.parse(lastSignalAt), options.nowMs);
    const counts = [recalls, questions, notes + grounded].map(formatCount);
    const cells = [last, ...counts, averageScore.toFixed(2), fate, shortKey(claim.key)];
    return { cells, text: claim.text };
  });
  const columns: readonly TableColumn[] = [
    { title: 'last' },
    { title: 'asked', align: 'right' },
    { title: 'questions', align: 'right' },
    { title: 'noted', align: 'right' },
    { title: 'score', align: 'right' },
    { title: 'fate' },
    { title: 'key' },
  ];
  const rest = total - rows.length;
  const more = rest > 0 ? `\n${formatCount(rest)} more; --limit shows them\n` : '';
  return `${claimTable(columns, rows, options)}${more}`;
}

interface ClaimRow {
  /** Safe to show, and of no more width than they have to be. */
  readonly cells: readonly string[];
  readonly text: string;
}

/** A table whose last column is the claim, cut where the terminal ends. */
function claimTable(
  columns: readonly TableColumn[],
  rows: readonly ClaimRow[],
  { style, columns: width }: ClaimTableOptions,
): string {
  const all = [...columns, { title: 'claim' }];
  const cells = rows.map((row) => [...row.cells, safeLine(row.text)]);
  return renderTable(all, fitLastColumn(all, cells, width), style);
}

import { formatCount, formatRelativeTime } from '../../../engine/support/format.js';
import { fitEnd, fitMiddle, padEnd, spread, textWidth } from '../../fit.js';
import { failureWords, pollingWords, watchingWords } from '../../memory/sync-lines.js';
import { syncFraction } from '../../memory/sync-progress.js';
import { summaryWords } from '../../memory/sync-summary.js';
import { waitingWords } from '../../memory/words.js';
import { safeLine } from '../../safe-text.js';
import type { Style } from '../../style.js';
import type { TerminalSize } from '../../terminal/size.js';
import type { WatchRow, WatchScreenState } from './state.js';

const NAME_COLUMNS = 20;

/** Two or more lines per memory, or one without room; the last line counts the rest. */
export function watchRows(
  { rows, nowMs }: WatchScreenState,
  style: Style,
  { columns, rows: room }: TerminalSize,
): readonly string[] {
  const whole = rows.flatMap((row) => [
    headLine(row, rows, style, columns),
    ...detailLines(row, nowMs, style, columns),
  ]);
  if (whole.length <= room) return whole;
  // Memories with problems come first.
  const sorted = [...rows].sort((a, b) => Number(isTroubled(b)) - Number(isTroubled(a)));
  const short = sorted.map((row) => headLine(row, rows, style, columns));
  if (short.length <= room) return short;
  const kept = short.slice(0, Math.max(0, room - 1));
  return [...kept, style.dim(`  and ${formatCount(short.length - kept.length)} more`)];
}

function headLine(row: WatchRow, rows: readonly WatchRow[], style: Style, columns: number): string {
  const widest = Math.max(...rows.map(({ name }) => textWidth(safeLine(name))));
  const nameColumns = Math.min(widest, NAME_COLUMNS, Math.floor(columns / 2));
  const name = padEnd(fitEnd(safeLine(row.name), nameColumns), nameColumns);
  const state = fitEnd(stateWords(row), Math.max(0, columns - nameColumns - 6));
  const room = columns - nameColumns - textWidth(state) - 6;
  const place = room > 0 ? fitMiddle(safeLine(row.place), room) : '';
  const left = `${markOf(row, style)} ${style.bold(name)}  ${style.dim(place)}`;
  return spread(left, state, columns);
}

function stateWords(row: WatchRow): string {
  const { mode, progress, isDirty, failure } = row;
  if (progress !== undefined) return workWords(progress);
  if (failure !== undefined) return 'failing';
  if (isDirty) return 'changed';
  if (mode.type === 'starting') return 'starting';
  return mode.type === 'watching' ? watchingWords(mode.folders) : 'polling';
}

function workWords(progress: NonNullable<WatchRow['progress']>): string {
  if (progress.waitingFor !== undefined) return waitingWords(progress.waitingFor.pid);
  if (progress.embedding !== undefined && progress.embedding.planned > 0) {
    const { done, planned } = progress.embedding;
    return `embedding ${formatCount(done)}/${formatCount(planned)}`;
  }
  if (progress.planned.files === 0) return 'syncing';
  return `syncing ${Math.floor(syncFraction(progress) * 100)} %`;
}

function markOf(row: WatchRow, style: Style): string {
  if (row.progress !== undefined) return style.accent('●');
  if (row.failure !== undefined) return style.fault('✗');
  if (row.mode.type === 'polling') return style.warning('!');
  return row.last === undefined ? style.dim('○') : style.ok('✓');
}

function detailLines(
  { last, failure, mode }: WatchRow,
  nowMs: number,
  style: Style,
  columns: number,
): readonly string[] {
  const room = columns - 2;
  const lines: string[] = [];
  if (last !== undefined) {
    const ago = formatRelativeTime(last.atMs, nowMs);
    const words = fitEnd(summaryWords(last.summary), room - textWidth(ago) - 2);
    lines.push(spread(words, style.dim(ago), room));
  }
  if (mode.type === 'polling') {
    const words = `${pollingWords(mode.everyMs)}; ${safeLine(mode.why)}`;
    lines.push(style.warning(fitEnd(words, room)));
  }
  if (failure !== undefined) {
    const words = failureWords(
      failure.failure,
      Math.ceil((failure.retryAtMs - nowMs) / 1000) * 1000,
    );
    lines.push(style.fault(fitEnd(words, room)));
    const { hint } = failure.failure;
    if (hint !== undefined) lines.push(style.dim(fitEnd(`→ ${safeLine(hint)}`, room)));
  }
  return lines.map((line) => `  ${line}`);
}

function isTroubled(row: WatchRow): boolean {
  return row.failure !== undefined || row.mode.type === 'polling';
}

import {
  formatBytes,
  formatCount,
  formatCountOf,
  formatDuration,
  formatEta,
  formatRate,
} from '../../../engine/support/format.js';
import { fitEnd, fitMiddle, padEnd, padStart, spread, textWidth } from '../../fit.js';
import { embedDetailWords, embedFraction, embedWorkWords } from '../../memory/embed-progress.js';
import {
  type PhaseState,
  type SyncPhase,
  type SyncProgress,
  syncEta,
  syncFraction,
  syncRate,
} from '../../memory/sync-progress.js';
import {
  archiveWords,
  rebuildWords,
  removedWords,
  skippedNames,
  waitingWords,
} from '../../memory/words.js';
import { safeLine } from '../../safe-text.js';
import { drawBar, type Mark, paintedMark, type Style } from '../../style.js';
import type { TerminalSize } from '../../terminal/size.js';

const LABEL_COLUMNS = 8;
const INDENT = ' '.repeat(LABEL_COLUMNS + 2);
const BAR_COLUMNS = 30;
const NARROW_BAR_COLUMNS = 14;
/** With less room than this, a long bar would leave none for the rate. */
const NARROW = 64;

const PHASE_MARKS = {
  waiting: 'waiting',
  running: 'running',
  done: 'ok',
  stopped: 'warning',
} as const satisfies Record<PhaseState, Mark>;

/** The phases of a sync, one line each, and what it is doing now; without room for all, finished phases are left out. */
export function syncRows(
  progress: SyncProgress,
  style: Style,
  { columns, rows }: TerminalSize,
): readonly string[] {
  const room = columns - INDENT.length;
  const detail =
    progress.embedding === undefined ? '' : fitEnd(embedDetailWords(progress.embedding), room);
  const phases: readonly SyncPhase[] = ['scan', 'chunk', 'write'];
  const lines = [
    ...phases.map((phase) => phaseRow(phase, progress, style, room)),
    ...(progress.embedding === undefined ? [] : [phaseRow('embed', progress, style, room)]),
    ...(detail === '' ? [] : [INDENT + style.dim(detail)]),
    nowRow(progress, style, room),
    ...skippedRow(progress, style, columns),
  ];
  const finished = phases.filter((phase) => progress.phases[phase] === 'done').length;
  return lines.slice(Math.min(finished, Math.max(0, lines.length - rows)));
}

function phaseRow(phase: SyncPhase, progress: SyncProgress, style: Style, room: number): string {
  const state = progress.phases[phase];
  const label = padEnd(phase, LABEL_COLUMNS);
  const head = `${paintedMark(PHASE_MARKS[state], style)} ${state === 'waiting' ? style.dim(label) : label}`;
  return head + BODIES[phase](progress, style, room);
}

const BODIES: Readonly<
  Record<SyncPhase, (progress: SyncProgress, style: Style, room: number) => string>
> = { scan: scanBody, chunk: chunkBody, write: writeBody, embed: embedBody };

function scanBody(progress: SyncProgress, style: Style, room: number): string {
  const { found, waitingFor, archived, scannedMs, startedMs } = progress;
  if (waitingFor !== undefined && found === undefined)
    return fitEnd(waitingWords(waitingFor), room);
  if (archived !== undefined) return fitEnd(archiveWords(archived), room);
  if (found === undefined) return 'looking for files';
  const time = scannedMs === undefined ? '' : formatDuration(scannedMs - startedMs);
  const size = found.bytes === 0 ? '' : `   ${formatBytes(found.bytes)}`;
  const what = formatCountOf(found.files, 'file') + size;
  return spread(fitEnd(what, room), style.dim(time), room);
}

function chunkBody(progress: SyncProgress, style: Style, room: number): string {
  const { planned, handled, phases } = progress;
  if (phases.chunk === 'waiting') return '';
  if (planned.files === 0) return style.dim('nothing to index');
  const rate = syncRate(progress);
  const words = rate === undefined ? '' : formatRate(rate, 'chunks');
  const counts = { fraction: syncFraction(progress), done: handled.files, planned: planned.files };
  const bar = progressBar(counts, style, room);
  return spread(bar, style.dim(words), room);
}

function writeBody(progress: SyncProgress, style: Style, room: number): string {
  const { phases, planned, removed } = progress;
  if (phases.write === 'waiting') return '';
  if (removed !== undefined && removed.done < removed.planned) {
    return fitEnd(removedWords(removed), room);
  }
  // Without files to index, none of those on disk would be counted.
  if (planned.files === 0) return '';
  const saved = `${formatCountOf(progress.committed, 'file')} on disk`;
  const what = progress.publishing ? `${saved} · publishing the new index` : saved;
  return spread(fitEnd(what, room), style.dim(formatCountOf(progress.chunks, 'chunk')), room);
}

function embedBody(
  { embedding, found, waitingFor }: SyncProgress,
  style: Style,
  room: number,
): string {
  if (embedding === undefined) {
    return found === undefined || waitingFor === undefined
      ? ''
      : fitEnd(waitingWords(waitingFor), room);
  }
  if (embedding.planned === 0) return style.dim('nothing to embed');
  const { done, planned } = embedding;
  const bar = progressBar({ fraction: embedFraction(embedding), done, planned }, style, room);
  const work = embedWorkWords(embedding);
  const fits = textWidth(bar) + 2 + textWidth(work) <= room;
  return spread(bar, style.dim(fits ? work : safeLine(embedding.provider)), room);
}

/** A bar with counts, which do not move while they grow. */
function progressBar(
  { fraction, done, planned }: Record<'done' | 'fraction' | 'planned', number>,
  style: Style,
  room: number,
): string {
  const bar = drawBar(fraction, room < NARROW ? NARROW_BAR_COLUMNS : BAR_COLUMNS);
  const total = formatCount(planned);
  return `${style.accent(bar)}  ${padStart(formatCount(done), total.length)}/${total}`;
}

function nowRow(progress: SyncProgress, style: Style, room: number): string {
  const { current, rebuild } = progress;
  const etaMs = syncEta(progress);
  const eta = etaMs === undefined ? '' : `eta ${formatEta(etaMs)}`;
  const showsWhy = current === undefined && rebuild !== undefined;
  const textColumns = room - ETA_COLUMNS;
  const text = showsWhy
    ? fitEnd(`building the index: ${rebuildWords(rebuild)}`, textColumns)
    : fitMiddle(safeLine(current ?? ''), textColumns);
  if (text === '' && eta === '') return '';
  const label = style.dim(padEnd(showsWhy ? 'why' : 'now', LABEL_COLUMNS));
  return `  ${label}${spread(text, style.dim(eta), room)}`;
}

/** Width of `  eta 1:02:03`. */
const ETA_COLUMNS = 13;

function skippedRow(progress: SyncProgress, style: Style, columns: number): readonly string[] {
  const { first, count } = progress.skipped;
  if (count === 0) return [];
  const label = `skipped ${formatCount(count)}`;
  const names = fitEnd(skippedNames(first, first.length), columns - label.length - 4);
  return [`  ${style.warning(label)}  ${names}`];
}

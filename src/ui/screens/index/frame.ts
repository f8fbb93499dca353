import {
  formatBytes,
  formatCount,
  formatCountOf,
  formatDuration,
  formatEta,
  formatRate,
} from '../../../engine/support/format.js';
import { fitEnd, fitMiddle, padEnd, padStart, spread, textWidth } from '../../fit.js';
import { embedFraction } from '../../memory/embed-progress.js';
import { embedDetailWords, embedWorkWords } from '../../memory/embed-words.js';
import {
  type PhaseState,
  type SyncPhase,
  type SyncProgress,
  syncEta,
  syncFraction,
  syncRate,
} from '../../memory/sync-progress.js';
import { rebuildWords, skippedNames, waitingWords } from '../../memory/words.js';
import { safeLine } from '../../safe-text.js';
import { drawBar, type Paint, type Style } from '../../style.js';
import type { TerminalSize } from '../../terminal/size.js';
import { type KeyHelp, keyLines } from '../keys.js';
import { insideMargin, withMargin } from '../lines.js';

/** The title of the index screen. */
export interface IndexTitle {
  readonly agentId: string;
  /** Where the memory is: `~/notes`. */
  readonly place: string;
  readonly backend: string;
}

/** Everything that the index screen shows. */
export interface IndexView {
  readonly progress: SyncProgress;
  /** The user asked to stop, and the current transaction is being finished. */
  readonly stopping: boolean;
  readonly help: boolean;
}

const MAX_COLUMNS = 96;
const LABEL_COLUMNS = 8;
const BAR_COLUMNS = 30;
const NARROW_BAR_COLUMNS = 14;
/** With less room than this, a long bar would leave none for the rate. */
const NARROW = 64;

const KEYS: readonly KeyHelp[] = [
  ['q, ctrl-c', 'finish the current transaction and stop; saved work is kept'],
  ['ctrl-c twice', 'quit now'],
  ['?, esc', 'close help'],
];

const MARKS: Readonly<Record<PhaseState, string>> = {
  waiting: '○',
  running: '●',
  done: '✓',
  stopped: '!',
};

/** The lines of the index screen at a size; never wider than the terminal, and always shorter. */
export function indexFrame(
  view: IndexView,
  title: IndexTitle,
  style: Style,
  size: TerminalSize,
): readonly string[] {
  const { columns, rows: room } = insideMargin(size, MAX_COLUMNS);
  const { progress } = view;
  const lines = [
    titleLine(title, style, columns),
    phaseLine('scan', progress, style, columns),
    phaseLine('chunk', progress, style, columns),
    phaseLine('write', progress, style, columns),
    ...embedLines(progress, style, columns),
    nowLine(progress, style, columns),
    ...skippedLine(progress, style, columns),
    ...(view.help ? helpLines(style, columns) : []),
    footer(view, style, columns),
  ];
  // Without room, the title is dropped first and the footer last.
  return withMargin(lines, room);
}

function titleLine(title: IndexTitle, style: Style, columns: number): string {
  const left = `svc · index · ${safeLine(title.agentId)}`;
  const backend = ` · ${safeLine(title.backend)}`;
  const place = fitMiddle(safeLine(title.place), columns - left.length - backend.length - 2);
  return spread(style.bold(fitEnd(left, columns)), style.dim(place + backend), columns);
}

function phaseLine(
  phase: SyncPhase,
  progress: SyncProgress,
  style: Style,
  columns: number,
): string {
  const state = progress.phases[phase];
  const paint: Readonly<Record<PhaseState, Paint>> = {
    waiting: style.dim,
    running: style.accent,
    done: style.ok,
    stopped: style.warning,
  };
  const label = padEnd(phase, LABEL_COLUMNS);
  const head = `${paint[state](MARKS[state])} ${state === 'waiting' ? style.dim(label) : label}`;
  const room = columns - LABEL_COLUMNS - 2;
  return head + PHASE_BODIES[phase](progress, style, room);
}

const PHASE_BODIES: Readonly<
  Record<SyncPhase, (progress: SyncProgress, style: Style, columns: number) => string>
> = { scan: scanBody, chunk: chunkBody, write: writeBody, embed: embedBody };

function scanBody(progress: SyncProgress, style: Style, columns: number): string {
  const { found, waitingFor } = progress;
  if (waitingFor !== undefined) return fitEnd(waitingWords(waitingFor.pid), columns);
  if (found === undefined) return 'looking for files';
  const time =
    progress.scannedMs === undefined ? '' : formatDuration(progress.scannedMs - progress.startedMs);
  const what = `${formatCountOf(found.files, 'file')}   ${formatBytes(found.bytes)}`;
  return spread(fitEnd(what, columns), style.dim(time), columns);
}

function chunkBody(progress: SyncProgress, style: Style, columns: number): string {
  const { planned, handled } = progress;
  if (progress.phases.chunk === 'waiting') return '';
  if (planned.files === 0) return style.dim('nothing to index');
  const bar = drawBar(syncFraction(progress), columns < NARROW ? NARROW_BAR_COLUMNS : BAR_COLUMNS);
  const total = formatCount(planned.files);
  const counts = `${padStart(formatCount(handled.files), total.length)}/${total}`;
  const rate = syncRate(progress);
  return spread(
    `${style.accent(bar)}  ${counts}`,
    rate === undefined ? '' : style.dim(formatRate(rate, 'chunks')),
    columns,
  );
}

function writeBody(progress: SyncProgress, style: Style, columns: number): string {
  if (progress.phases.write === 'waiting') return '';
  const saved = `${formatCountOf(progress.committed, 'file')} on disk`;
  const what = progress.publishing ? `${saved} · replacing the old index` : saved;
  return spread(fitEnd(what, columns), style.dim(formatCountOf(progress.chunks, 'chunk')), columns);
}

/** Two lines once embedding has started. */
function embedLines(progress: SyncProgress, style: Style, columns: number): readonly string[] {
  const { embedding } = progress;
  if (embedding === undefined) return [];
  const detail = fitEnd(embedDetailWords(embedding), columns - LABEL_COLUMNS - 2);
  const indent = ' '.repeat(LABEL_COLUMNS + 2);
  return [
    phaseLine('embed', progress, style, columns),
    ...(detail === '' ? [] : [indent + style.dim(detail)]),
  ];
}

function embedBody({ embedding }: SyncProgress, style: Style, columns: number): string {
  if (embedding === undefined) return '';
  if (embedding.planned === 0) return style.dim('nothing to embed');
  const width = columns < NARROW ? NARROW_BAR_COLUMNS : BAR_COLUMNS;
  const bar = drawBar(embedFraction(embedding), width);
  const total = formatCount(embedding.planned);
  const counts = `${padStart(formatCount(embedding.done), total.length)}/${total}`;
  const left = `${bar}  ${counts}`;
  const work = embedWorkWords(embedding);
  const fits = textWidth(left) + 2 + textWidth(work) <= columns;
  const right = style.dim(fits ? work : safeLine(embedding.provider));
  return spread(`${style.accent(bar)}  ${counts}`, right, columns);
}

function nowLine(progress: SyncProgress, style: Style, columns: number): string {
  const room = columns - LABEL_COLUMNS - 2;
  const { current, rebuild } = progress;
  const label = padEnd(
    current === undefined && rebuild !== undefined ? 'why' : 'now',
    LABEL_COLUMNS,
  );
  const text =
    current === undefined && rebuild !== undefined
      ? fitEnd(`building the index: ${rebuildWords(rebuild)}`, room)
      : fitMiddle(safeLine(current ?? ''), room);
  return text === '' ? '' : `  ${style.dim(label)}${text}`;
}

function skippedLine(progress: SyncProgress, style: Style, columns: number): readonly string[] {
  const { first, count } = progress.skipped;
  if (count === 0) return [];
  const label = `skipped ${formatCount(count)}`;
  const room = columns - label.length - 4;
  return [`  ${style.warning(label)}  ${fitEnd(skippedNames(first, first.length), room)}`];
}

function helpLines(style: Style, columns: number): readonly string[] {
  return ['', ...keyLines(KEYS, style, columns - 2, 14).map((line) => `  ${line}`), ''];
}

function footer({ progress, stopping }: IndexView, style: Style, columns: number): string {
  if (stopping) {
    return `  ${style.warning(fitEnd('stopping after the current transaction · ctrl-c quits now', columns - 2))}`;
  }
  const eta = syncEta(progress);
  const left = eta === undefined ? '' : `eta ${formatEta(eta)}`;
  return spread(`  ${left}`, style.dim('q stop   ? help'), columns);
}

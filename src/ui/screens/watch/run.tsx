import type { SyncSummary } from '../../../engine/memory/sync/index.js';
import type { WatchEvent, WatchFailure } from '../../../engine/memory/watch/watch-events.js';
import { formatCount, formatCountOf, formatRelativeTime } from '../../../engine/support/format.js';
import { createState } from '../../components/store.js';
import { stopHandler, WorkScreen, type WorkState } from '../../components/work-screen.js';
import { fitEnd, fitMiddle, padEnd, spread, textWidth } from '../../fit.js';
import { failureWords, pollingWords, watchingWords } from '../../memory/sync-lines.js';
import {
  reduceSync,
  type SyncProgress,
  startSyncProgress,
  syncFraction,
} from '../../memory/sync-progress.js';
import { summaryWords } from '../../memory/sync-summary.js';
import { waitingWords } from '../../memory/words.js';
import { safeLine } from '../../safe-text.js';
import { type Mark, paintedMark, type Style } from '../../style.js';
import { mountScreen, type ScreenOptions } from '../../terminal/mount-screen.js';
import { type TerminalSize, terminalColumns } from '../../terminal/size.js';

/** Options of the watch screen. */
export interface WatchScreenOptions extends ScreenOptions {
  readonly rows: readonly Pick<WatchRow, 'folder' | 'name'>[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The user asked to stop; by the second time the terminal is restored. */
  readonly onInterrupt: () => void;
}

/** About 15 frames per second: faster changes cannot be read. */
const FRAME_MS = 66;
/** Relative times such as "3 min ago" need a redraw. */
const TICK_MS = 1000;

/** Shows the work of watchers until it is closed, which leaves the last state of all memories in the scrollback. */
export function openWatchScreen(options: WatchScreenOptions) {
  const { now, style, stdout } = options;
  const store = createState(initialWatchScreen(options.rows, now()), { everyMs: FRAME_MS });
  const onStop = stopHandler(store, () => close(), options.onInterrupt);
  const screen = mountScreen(
    <WorkScreen
      store={store}
      title="svc · watch"
      facts={() => [formatCountOf(options.rows.length, 'index', 'indexes')]}
      lines={(area) => watchRows(store.getSnapshot(), style, area)}
      onStop={onStop}
    />,
    options,
  );
  // If the view fails, the work continues.
  screen.failed.catch(() => undefined);
  const ticking = setInterval(() => store.dispatch({ nowMs: now() }), TICK_MS);
  const close = async (): Promise<void> => {
    clearInterval(ticking);
    await screen.unmount();
    const size = { columns: terminalColumns(stdout), rows: Number.POSITIVE_INFINITY };
    stdout.write(`${watchRows(store.getSnapshot(), style, size).join('\n')}\n`);
  };
  return {
    onEvent: (rowAt: number, event: WatchEvent) =>
      store.dispatch(reduceWatchScreen(store.getSnapshot(), rowAt, event, now())),
    close,
  };
}

/** One memory on the watch screen. */
export interface WatchRow {
  readonly name: string;
  /** Where the memory is: `~/notes`. */
  readonly folder: string;
  readonly mode:
    | { readonly type: 'starting' }
    | Extract<WatchEvent, { readonly type: 'polling' | 'watching' }>;
  /** Files changed; the sync waits until they settle. */
  readonly isDirty: boolean;
  /** The running sync, with times on the screen's clock. */
  readonly progress: SyncProgress | undefined;
  readonly last: { readonly summary: SyncSummary; readonly atMs: number } | undefined;
  readonly failure: { readonly failure: WatchFailure; readonly retryAtMs: number } | undefined;
}

/** The state of the watch screen. */
export interface WatchScreenState extends WorkState {
  readonly rows: readonly WatchRow[];
  /** Milliseconds since the epoch, as of the last event or tick. */
  readonly nowMs: number;
}

/** The screen before the first event. */
export function initialWatchScreen(
  rows: readonly Pick<WatchRow, 'folder' | 'name'>[],
  nowMs: number,
): WatchScreenState {
  return {
    rows: rows.map((row) => ({
      ...row,
      mode: { type: 'starting' },
      isDirty: false,
      progress: undefined,
      last: undefined,
      failure: undefined,
    })),
    nowMs,
    isStopping: false,
  };
}

/** The screen after an event of a memory; pure. */
export function reduceWatchScreen(
  state: WatchScreenState,
  rowAt: number,
  event: WatchEvent,
  nowMs: number,
): WatchScreenState {
  const rows = state.rows.map((row, at) => (at === rowAt ? reduceRow(row, event, nowMs) : row));
  return { ...state, rows, nowMs };
}

function reduceRow(row: WatchRow, event: WatchEvent, atMs: number): WatchRow {
  switch (event.type) {
    case 'watching':
    case 'polling':
      return { ...row, mode: event };
    case 'changed':
      return { ...row, isDirty: true };
    case 'syncing':
      return { ...row, isDirty: false, progress: startSyncProgress(atMs) };
    case 'progress': {
      const { type } = event.event;
      if (type === 'sync.finished' && isStillEmbedding(row, event.event.summary)) return row;
      const progress = reduceSync(row.progress ?? startSyncProgress(atMs), event.event, atMs);
      return { ...row, progress };
    }
    case 'synced':
      return {
        ...row,
        isDirty: false,
        progress: isStillEmbedding(row, event.summary) ? row.progress : undefined,
        failure: undefined,
        last: lastOf(row, event.summary, atMs),
      };
    case 'failed': {
      const { failure, retryInMs } = event;
      return { ...row, progress: undefined, failure: { failure, retryAtMs: atMs + retryInMs } };
    }
  }
}

/** Files that change while a sync embeds are mirrored meanwhile. */
function isStillEmbedding({ progress }: WatchRow, { embedding }: SyncSummary): boolean {
  const isBusy = progress?.embedding !== undefined || progress?.waitingFor?.part === 'vectors';
  return isBusy && embedding === undefined;
}

/** A sync without changes does not replace the last change on the screen. */
function lastOf(row: WatchRow, summary: SyncSummary, atMs: number): WatchRow['last'] {
  if (summary.outcome === 'unchanged' && row.last !== undefined) return row.last;
  return { summary, atMs };
}

const NAME_COLUMNS = 20;

/** All lines of each memory, or one line without room for all; the last line counts what is left out. */
export function watchRows(
  { rows, nowMs }: WatchScreenState,
  style: Style,
  { columns, rows: room }: TerminalSize,
): readonly string[] {
  const all = rows.flatMap((row) => [
    headLine(row, rows, style, columns),
    ...detailLines(row, nowMs, style, columns),
  ]);
  if (all.length <= room) return all;
  // Memories with problems come first.
  const sorted = rows.toSorted((a, b) => Number(hasProblem(b)) - Number(hasProblem(a)));
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
  const place = room > 0 ? fitMiddle(safeLine(row.folder), room) : '';
  const left = `${paintedMark(markOf(row), style)} ${style.bold(name)}  ${style.dim(place)}`;
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
  if (progress.waitingFor !== undefined) return waitingWords(progress.waitingFor);
  if (progress.embedding !== undefined && progress.embedding.planned > 0) {
    const { done, planned } = progress.embedding;
    return `embedding ${formatCount(done)}/${formatCount(planned)}`;
  }
  if (progress.planned.files === 0) return 'syncing';
  return `syncing ${Math.floor(syncFraction(progress) * 100)} %`;
}

function markOf(row: WatchRow): Mark {
  if (row.progress !== undefined) return 'running';
  if (row.failure !== undefined) return 'failed';
  if (row.mode.type === 'polling') return 'warning';
  return row.last === undefined ? 'waiting' : 'ok';
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

function hasProblem(row: WatchRow): boolean {
  return row.failure !== undefined || row.mode.type === 'polling';
}

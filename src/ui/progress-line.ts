import type { EvalEvent } from '../engine/eval/index.js';
import type { SyncEvent } from '../engine/memory/sync/index.js';
import { formatCount, formatEta } from '../engine/support/format.js';
import { fitEnd } from './fit.js';
import { embedFraction } from './memory/embed-progress.js';
import {
  reduceSync,
  type SyncProgress,
  startSyncProgress,
  syncEta,
  syncFraction,
} from './memory/sync-progress.js';
import { archiveWords, waitingWords } from './memory/words.js';
import { safeLine } from './safe-text.js';
import { drawBar, type Style } from './style.js';
import { ERASE_LINE, QUIET_FOR_MS } from './waiting-line.js';

/** How the one-line progress is drawn. */
export interface ProgressLineOptions {
  readonly style: Style;
  /** Width of the terminal; the line never reaches its last column, where some terminals wrap. */
  readonly columns: number;
  /** Milliseconds on any steady clock. */
  readonly now: () => number;
}

/** Shows the progress of a sync, or of other work. */
export interface ProgressLine<Event = SyncEvent> {
  readonly onEvent: (event: Event) => void;
  /** Call it before anything else is written to the terminal. */
  readonly clear: () => void;
}

const REDRAW_EVERY_MS = 100;
const BAR_COLUMNS = 20;

/** A line that replaces itself. */
function createLine(write: (text: string) => void) {
  let current = '';
  return {
    show: (line: string): void => {
      if (line !== current) write(ERASE_LINE + line);
      current = line;
    },
    clear: (): void => {
      if (current !== '') write(ERASE_LINE);
      current = '';
    },
  };
}

/**
 * Progress for a search that first has to build the index. Drawn on events, since no timer fires while the engine
 * works, and once by a timer, for a provider that does not answer.
 *
 * @param write writes to a terminal, unchanged
 */
export function createProgressLine(
  write: (text: string) => void,
  options: ProgressLineOptions,
): ProgressLine {
  const { now } = options;
  const startedMs = now();
  let state = startSyncProgress(startedMs);
  let drawnMs = Number.NEGATIVE_INFINITY;
  const { show, ...line } = createLine(write);
  let timer: NodeJS.Timeout | undefined;

  const draw = (): void => {
    const isQuiet = state.lastMs - startedMs < QUIET_FOR_MS;
    if (isQuiet || state.lastMs - drawnMs < REDRAW_EVERY_MS) return;
    drawnMs = state.lastMs;
    show(progressText(state, options));
  };
  const clear = (): void => {
    clearTimeout(timer);
    timer = undefined;
    line.clear();
  };
  return {
    onEvent: (event) => {
      state = reduceSync(state, event, now());
      if (event.type === 'sync.finished') clear();
      // No other event comes while another process works, so this is shown at once.
      else if (event.type === 'lock.waiting') {
        const { part, holder } = event;
        const words = waitingWords({ pid: holder?.pid, part });
        show(words.slice(0, Math.max(0, options.columns - 1)));
      } else {
        draw();
        timer ??= setTimeout(() => show(progressText(state, options)), QUIET_FOR_MS);
      }
    },
    clear,
  };
}

/** The progress of a sync, in a line. */
export function progressText(
  state: SyncProgress,
  { columns, style }: Pick<ProgressLineOptions, 'columns' | 'style'>,
): string {
  if (state.archived !== undefined) return fitEnd(archiveWords(state.archived), columns - 1);
  const { verb, done, all, fraction } = workOf(state);
  const eta = syncEta(state);
  const counts = `${formatCount(done)}/${formatCount(all)}`;
  const rest = eta === undefined ? '' : `  ${formatEta(eta)}`;
  const bar = drawBar(fraction, BAR_COLUMNS);
  // All of these characters are one column wide.
  const full = `${verb}  ${bar}  ${counts}${rest}`;
  if (full.length < columns) return `${verb}  ${style.accent(bar)}  ${counts}${rest}`;
  return `${verb} ${counts}`.slice(0, Math.max(0, columns - 1));
}

/** Files while they are read, then passages while they are embedded. */
function workOf(state: SyncProgress) {
  const { handled, planned, embedding } = state;
  if (embedding !== undefined) {
    const { done, planned: all } = embedding;
    return { verb: 'embedding', done, all, fraction: embedFraction(embedding) };
  }
  const fraction = syncFraction(state);
  return { verb: 'indexing', done: handled.files, all: planned.files, fraction };
}

/** The progress of an evaluation. @param write writes to a terminal, unchanged */
export function createEvalProgress(
  write: (text: string) => void,
  { style, columns, now }: ProgressLineOptions,
): ProgressLine<EvalEvent> {
  let drawnMs = Number.NEGATIVE_INFINITY;
  const { show, clear } = createLine(write);
  const draw = (head: string, variant: string): void => {
    const room = columns - 1 - head.length - 2;
    const suffix = room < 8 ? '' : `  ${style.dim(fitEnd(safeLine(variant), room))}`;
    show(head.slice(0, Math.max(0, columns - 1)) + suffix);
    drawnMs = now();
  };
  return {
    clear,
    onEvent: (event) => {
      // Indexing draws its own line.
      if (event.type === 'sync') clear();
      else if (event.type === 'misses.started') draw('analyzing misses', event.name);
      else if (event.type === 'question.asked') {
        if (now() - drawnMs < REDRAW_EVERY_MS) return;
        const { done, all, name } = event;
        const bar = drawBar(done / Math.max(1, all), BAR_COLUMNS);
        draw(`asking  ${bar}  ${formatCount(done)}/${formatCount(all)}`, name);
      }
    },
  };
}

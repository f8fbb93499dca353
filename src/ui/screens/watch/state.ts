import type { SyncSummary } from '../../../engine/memory/sync/events.js';
import type { WatchEvent, WatchFailure } from '../../../engine/memory/watch/memory-watcher.js';
import { reduceSync, type SyncProgress, startSyncProgress } from '../../memory/sync-progress.js';

/** What the watch screen shows of one memory. */
export interface WatchRow {
  readonly name: string;
  /** Where the memory lies, as a person writes it. */
  readonly place: string;
  readonly mode:
    | { readonly type: 'starting' }
    | { readonly type: 'watching'; readonly folders: number }
    | { readonly type: 'polling'; readonly why: string; readonly everyMs: number };
  /** Something changed and the quiet is waited for. */
  readonly isDirty: boolean;
  /** The sync under way; its moments are on the screen's clock. */
  readonly progress: SyncProgress | undefined;
  readonly last: { readonly summary: SyncSummary; readonly atMs: number } | undefined;
  readonly failure: { readonly failure: WatchFailure; readonly retryAtMs: number } | undefined;
}

/** The state of the watch screen. */
export interface WatchScreenState {
  readonly rows: readonly WatchRow[];
  /** Milliseconds since the epoch, as of the last event or tick. */
  readonly nowMs: number;
  readonly stopping: boolean;
  readonly help: boolean;
}

/** What moves the watch screen on. */
export type WatchScreenEvent =
  | {
      readonly type: 'watch';
      readonly row: number;
      readonly event: WatchEvent;
      readonly atMs: number;
    }
  | { readonly type: 'tick'; readonly atMs: number }
  | { readonly type: 'stop.asked' }
  | { readonly type: 'help.toggled' }
  | { readonly type: 'help.closed' };

/** The screen before the first event. */
export function startWatchScreen(
  rows: readonly Pick<WatchRow, 'name' | 'place'>[],
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
    stopping: false,
    help: false,
  };
}

/** The screen after an event; pure. */
export function reduceWatchScreen(
  state: WatchScreenState,
  event: WatchScreenEvent,
): WatchScreenState {
  switch (event.type) {
    case 'watch': {
      const rows = state.rows.map((row, at) =>
        at === event.row ? reduceRow(row, event.event, event.atMs) : row,
      );
      return { ...state, rows, nowMs: event.atMs };
    }
    case 'tick':
      return { ...state, nowMs: event.atMs };
    case 'stop.asked':
      return { ...state, stopping: true };
    case 'help.toggled':
      return { ...state, help: !state.help };
    case 'help.closed':
      return state.help ? { ...state, help: false } : state;
  }
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
      const progress = reduceSync(row.progress ?? startSyncProgress(atMs), event.event, atMs);
      return { ...row, progress };
    }
    case 'synced':
      return {
        ...row,
        progress: undefined,
        failure: undefined,
        last: lastOf(row, event.summary, atMs),
      };
    case 'failed': {
      const { failure, retryInMs } = event;
      return { ...row, progress: undefined, failure: { failure, retryAtMs: atMs + retryInMs } };
    }
  }
}

/** A sync that changed nothing does not hide what the last change was. */
function lastOf(row: WatchRow, summary: SyncSummary, atMs: number): WatchRow['last'] {
  if (summary.outcome === 'unchanged' && row.last !== undefined) return row.last;
  return { summary, atMs };
}

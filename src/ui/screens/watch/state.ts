import type { SyncSummary } from '../../../engine/memory/sync/index.js';
import type { WatchEvent, WatchFailure } from '../../../engine/memory/watch/index.js';
import { reduceSync, type SyncProgress, startSyncProgress } from '../../memory/sync-progress.js';

/** One memory on the watch screen. */
export interface WatchRow {
  readonly name: string;
  /** Where the memory is: `~/notes`. */
  readonly place: string;
  readonly mode:
    | { readonly type: 'starting' }
    | { readonly type: 'watching'; readonly folders: number }
    | { readonly type: 'polling'; readonly why: string; readonly everyMs: number };
  /** Files changed; the sync waits until they settle. */
  readonly isDirty: boolean;
  /** The running sync, with times on the screen's clock. */
  readonly progress: SyncProgress | undefined;
  readonly last: { readonly summary: SyncSummary; readonly atMs: number } | undefined;
  readonly failure: { readonly failure: WatchFailure; readonly retryAtMs: number } | undefined;
}

/** The state of the watch screen. */
export interface WatchScreenState {
  readonly rows: readonly WatchRow[];
  /** Milliseconds since the epoch, as of the last event or tick. */
  readonly nowMs: number;
  readonly isStopping: boolean;
}

/** Events of the watch screen. */
export type WatchScreenEvent =
  | {
      readonly type: 'watch';
      readonly row: number;
      readonly event: WatchEvent;
      readonly atMs: number;
    }
  | { readonly type: 'tick'; readonly atMs: number }
  | { readonly type: 'stop.asked' };

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
    isStopping: false,
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
      return { ...state, isStopping: true };
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

/** A sync without changes does not replace the last change on the screen. */
function lastOf(row: WatchRow, summary: SyncSummary, atMs: number): WatchRow['last'] {
  if (summary.outcome === 'unchanged' && row.last !== undefined) return row.last;
  return { summary, atMs };
}

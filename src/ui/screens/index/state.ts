import type { SyncEvent } from '../../../engine/memory/sync/index.js';
import { reduceSync, type SyncProgress, startSyncProgress } from '../../memory/sync-progress.js';

/** The state of the index screen. */
export interface IndexScreenState {
  readonly progress: SyncProgress;
  /** The user asked to stop, and the current transaction is being finished. */
  readonly isStopping: boolean;
  readonly isHelp: boolean;
}

/** Events of the index screen: those of the sync, and keys. */
export type IndexScreenEvent =
  | { readonly type: 'sync'; readonly event: SyncEvent; readonly atMs: number }
  | { readonly type: 'stop.asked' }
  | { readonly type: 'help'; readonly on: boolean };

/** The screen before the first event. */
export function startIndexScreen(atMs: number): IndexScreenState {
  return { progress: startSyncProgress(atMs), isStopping: false, isHelp: false };
}

/** The screen after an event; pure. */
export function reduceIndexScreen(
  state: IndexScreenState,
  event: IndexScreenEvent,
): IndexScreenState {
  switch (event.type) {
    case 'sync':
      return { ...state, progress: reduceSync(state.progress, event.event, event.atMs) };
    case 'stop.asked':
      return { ...state, isStopping: true };
    case 'help':
      return { ...state, isHelp: event.on };
  }
}

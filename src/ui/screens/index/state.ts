import type { SyncEvent } from '../../../engine/memory/sync/index.js';
import { reduceSync, startSyncProgress } from '../../memory/sync-progress.js';
import type { IndexView } from './frame.js';

/** The state of the index screen. */
export type IndexScreenState = IndexView;

/** Events of the index screen: those of the sync, and keys. */
export type IndexScreenEvent =
  | { readonly type: 'sync'; readonly event: SyncEvent; readonly atMs: number }
  | { readonly type: 'stop.asked' }
  | { readonly type: 'help.toggled' }
  | { readonly type: 'help.closed' };

/** The screen before the first event. */
export function startIndexScreen(atMs: number): IndexScreenState {
  return { progress: startSyncProgress(atMs), stopping: false, help: false };
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
      return { ...state, stopping: true };
    case 'help.toggled':
      return { ...state, help: !state.help };
    case 'help.closed':
      return state.help ? { ...state, help: false } : state;
  }
}

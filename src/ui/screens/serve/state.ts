import type { ServeState } from '../../../engine/serve/index.js';

/** The state of the screen of svc serve. */
export interface ServeScreenState {
  /** Undefined until the process has started. */
  readonly serve: ServeState | undefined;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  readonly isStopping: boolean;
  readonly help: boolean;
}

/** Events of the screen. */
export type ServeScreenEvent =
  | { readonly type: 'changed'; readonly serve: ServeState; readonly nowMs: number }
  | { readonly type: 'ticked'; readonly nowMs: number }
  | { readonly type: 'stopping' }
  | { readonly type: 'help.toggled' }
  | { readonly type: 'help.closed' };

/** The screen before the process has started. */
export function startServeScreen(nowMs: number): ServeScreenState {
  return { serve: undefined, nowMs, isStopping: false, help: false };
}

/** The screen after an event; pure. */
export function reduceServeScreen(
  state: ServeScreenState,
  event: ServeScreenEvent,
): ServeScreenState {
  switch (event.type) {
    case 'changed':
      return { ...state, serve: event.serve, nowMs: event.nowMs };
    case 'ticked':
      return { ...state, nowMs: event.nowMs };
    case 'stopping':
      return state.isStopping ? state : { ...state, isStopping: true };
    case 'help.toggled':
      return { ...state, help: !state.help };
    case 'help.closed':
      return state.help ? { ...state, help: false } : state;
  }
}

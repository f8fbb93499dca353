import type { ServeState } from '../../../engine/serve/index.js';
import type { WebhooksSnapshot } from '../../../engine/webhooks/index.js';

/** The state of the screen of the webhook listener. */
export interface WebhooksScreenState {
  /** Undefined until the process has started. */
  readonly serve: ServeState | undefined;
  /** Undefined while no listener is running. */
  readonly webhooks: WebhooksSnapshot | undefined;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  readonly isStopping: boolean;
  /** The listener belongs to another process and is only watched. */
  readonly isWatched: boolean;
}

/** Events of the screen. */
export type WebhooksScreenEvent =
  | {
      readonly type: 'changed';
      /** Undefined if no process is serving. */
      readonly serve: ServeState | undefined;
      readonly nowMs: number;
    }
  | {
      readonly type: 'looked';
      readonly webhooks: WebhooksSnapshot | undefined;
      readonly nowMs: number;
    }
  | { readonly type: 'stopping' };

/** The screen before the process has started. */
export function startWebhooksScreen(nowMs: number, isWatched = false): WebhooksScreenState {
  return { serve: undefined, webhooks: undefined, nowMs, isStopping: false, isWatched };
}

/** The screen after an event; pure. */
export function reduceWebhooksScreen(
  state: WebhooksScreenState,
  event: WebhooksScreenEvent,
): WebhooksScreenState {
  switch (event.type) {
    case 'changed':
      return { ...state, serve: event.serve, nowMs: event.nowMs };
    case 'looked':
      return { ...state, webhooks: event.webhooks, nowMs: event.nowMs };
    case 'stopping':
      return state.isStopping ? state : { ...state, isStopping: true };
  }
}

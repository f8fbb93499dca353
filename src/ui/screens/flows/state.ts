import type { ListRow } from '../../flows/rows.js';

/** The current list. */
export interface ShownList {
  /** Newest first. */
  readonly rows: readonly ListRow[];
  /** Total number, including entries that are not shown. */
  readonly total: number;
}

/** The state of the screen that follows a list of flows or tasks. */
export interface FlowsScreenState {
  readonly kind: 'flows' | 'tasks';
  /** Undefined until the list was read. */
  readonly list: ShownList | undefined;
  readonly help: boolean;
}

/** Events of the screen. */
export type FlowsScreenEvent =
  | { readonly type: 'listed'; readonly list: ShownList }
  | { readonly type: 'help.toggled' }
  | { readonly type: 'help.closed' };

/** The screen before the list was read. */
export function startFlowsScreen(kind: FlowsScreenState['kind']): FlowsScreenState {
  return { kind, list: undefined, help: false };
}

/** The screen after an event; pure. */
export function reduceFlowsScreen(
  state: FlowsScreenState,
  event: FlowsScreenEvent,
): FlowsScreenState {
  switch (event.type) {
    case 'listed':
      return { ...state, list: event.list };
    case 'help.toggled':
      return { ...state, help: !state.help };
    case 'help.closed':
      return state.help ? { ...state, help: false } : state;
  }
}

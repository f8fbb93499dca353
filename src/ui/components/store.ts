import { useSyncExternalStore } from 'react';

/** State that a view reads. */
export interface ReadableStore<State> {
  readonly getSnapshot: () => State;
  readonly subscribe: (listener: () => void) => () => void;
}

/** State that events change. */
export interface Store<State, Event> extends ReadableStore<State> {
  readonly dispatch: (event: Event) => void;
}

/** The current state; the component is rendered again whenever it changes. */
export function useStore<State>({ subscribe, getSnapshot }: ReadableStore<State>): State {
  return useSyncExternalStore(subscribe, getSnapshot);
}

/** How often listeners are called. */
export interface Pace<Event> {
  /** Least time between two calls; 0 reports every change immediately. */
  readonly everyMs: number;
  /** Milliseconds on any steady clock; that of the process if omitted. */
  readonly now?: () => number;
  /** Events that are always reported immediately, such as keys; none if omitted. */
  readonly isUrgent?: (event: Event) => boolean;
}

/**
 * A store with a pure reducer. With a pace, a change is reported immediately if the last report was long enough ago,
 * without a timer: work that blocks the event loop is still drawn whenever it pauses. A timer reports the last change of
 * a burst.
 */
export function createStore<State, Event>(
  initial: State,
  reduce: (state: State, event: Event) => State,
  { everyMs, now = () => performance.now(), isUrgent }: Pace<Event> = { everyMs: 0 },
): Store<State, Event> {
  let state = initial;
  let notifiedMs = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  const listeners = new Set<() => void>();

  const notify = (): void => {
    clearTimeout(timer);
    timer = undefined;
    notifiedMs = now();
    for (const listener of listeners) listener();
  };
  return {
    getSnapshot: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearTimeout(timer);
        timer = undefined;
      };
    },
    dispatch: (event) => {
      const next = reduce(state, event);
      if (next === state) return;
      state = next;
      const restMs = everyMs - (now() - notifiedMs);
      if (restMs <= 0 || isUrgent?.(event) === true) notify();
      else timer ??= setTimeout(notify, restMs);
    },
  };
}

/** A store without a reducer: each event is the part of the state that changes. */
export type StateStore<State> = Store<State, Partial<State>>;

/** Creates a store without a reducer. */
export function createState<State extends object>(
  initial: State,
  pace?: Pace<unknown>,
): StateStore<State> {
  const reduce = (state: State, part: Partial<State>): State => {
    const names = Object.keys(part) as (keyof State)[];
    return names.every((name) => part[name] === state[name]) ? state : { ...state, ...part };
  };
  return createStore(initial, reduce, pace);
}

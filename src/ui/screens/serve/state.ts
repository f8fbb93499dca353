import type {
  LogRecord,
  ServeQueue,
  ServeState,
  ServiceSnapshot,
} from '../../../engine/serve/index.js';
import type { ListItem } from '../../components/list-state.js';

/** A service in the list. */
export interface ServiceItem extends ListItem {
  readonly service: ServiceSnapshot;
}

/** The state of the screen of svc serve. */
export interface ServeScreenState {
  /** Undefined until the process has started. */
  readonly serve: ServeState | undefined;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  readonly isStopping: boolean;
  /** Requests to all routes in each second of the last minute; undefined without a listener. */
  readonly traffic: readonly number[] | undefined;
  /** Undefined while no flows are open. */
  readonly queue: ServeQueue | undefined;
  /** The latest records by service, newest first. */
  readonly logs: ReadonlyMap<string, readonly LogRecord[]>;
}

/** Events of the screen. */
export type ServeScreenEvent =
  | { readonly type: 'changed'; readonly serve: ServeState; readonly nowMs: number }
  | ({ readonly type: 'looked' } & Pick<ServeScreenState, 'nowMs' | 'queue' | 'traffic'>)
  | { readonly type: 'logged'; readonly record: LogRecord }
  | { readonly type: 'stopping' };

/** The screen before the process has started. */
export function startServeScreen(nowMs: number): ServeScreenState {
  return {
    serve: undefined,
    nowMs,
    isStopping: false,
    traffic: undefined,
    queue: undefined,
    logs: new Map(),
  };
}

/** More is in the log file. */
const MOST_RECORDS = 100;

/** The screen after an event; pure. */
export function reduceServeScreen(
  state: ServeScreenState,
  event: ServeScreenEvent,
): ServeScreenState {
  switch (event.type) {
    case 'changed':
      return { ...state, serve: event.serve, nowMs: event.nowMs };
    case 'looked': {
      const { nowMs, queue, traffic } = event;
      return { ...state, nowMs, queue, traffic };
    }
    case 'logged': {
      const { service } = event.record.fields;
      if (typeof service !== 'string') return state;
      const records = [event.record, ...(state.logs.get(service) ?? [])].slice(0, MOST_RECORDS);
      return { ...state, logs: new Map(state.logs).set(service, records) };
    }
    case 'stopping':
      return state.isStopping ? state : { ...state, isStopping: true };
  }
}

/** Whether a service does not work as it should. */
export function isFailing({ state, failure }: ServiceSnapshot): boolean {
  return state === 'waiting' || failure !== null;
}

/** The services to list. */
export function serviceItems(
  { serve }: ServeScreenState,
  choice: 'all' | 'failing',
): readonly ServiceItem[] {
  const services = (serve?.services ?? []).filter(
    (service) => choice === 'all' || isFailing(service),
  );
  return services.map((service) => {
    const { name, state, event, failure } = service;
    const text = [name, state, event, failure?.message].filter(Boolean).join(' ');
    return { id: name, text, service };
  });
}

import type { ServiceFailure } from './service-failure.js';

/**
 * Where a service stands. `waiting`: it failed and is started again at `retryMs`. `ready` with a
 * failure: it works, but not all is well.
 */
export type ServiceState = 'draining' | 'ready' | 'starting' | 'stopped' | 'waiting';

/** A service as it is told of; times in milliseconds since the epoch. */
export interface ServiceSnapshot {
  readonly name: string;
  readonly state: ServiceState;
  /** When it came into this state. */
  readonly sinceMs: number;
  /** What it told last, in a few words. */
  readonly event: string | null;
  readonly eventMs: number | null;
  /** How often it was started again after a failure. */
  readonly restarts: number;
  readonly failure: ServiceFailure | null;
  /** When it is tried again; only while `waiting`. */
  readonly retryMs: number | null;
}

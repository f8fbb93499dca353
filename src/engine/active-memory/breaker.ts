import type { ActiveMemorySettings } from './gates.js';
import type { BreakerRecord, RecallState } from './state-file.js';

/** The settings of the circuit breaker. */
export type BreakerSettings = Pick<
  ActiveMemorySettings['config'],
  'circuitBreakerCooldownMs' | 'circuitBreakerMaxTimeouts'
>;

/**
 * `closed`: recalls take their time. `open`: the last ones all timed out, and nobody is waited for.
 * `half_open`: the pause is over, and this recall is the one that tries.
 */
export type BreakerState = 'closed' | 'half_open' | 'open';

/** The state of a breaker at a time. */
export function breakerState(
  record: BreakerRecord | undefined,
  nowMs: number,
  { circuitBreakerMaxTimeouts }: BreakerSettings,
): BreakerState {
  if (record === undefined || record.timeouts < circuitBreakerMaxTimeouts) return 'closed';
  return nowMs < record.openUntilMs ? 'open' : 'half_open';
}

/** Others go on leaving it alone while one recall tries. */
export function trying(record: BreakerRecord, nowMs: number, timeoutMs: number): BreakerRecord {
  return { ...record, openUntilMs: nowMs + timeoutMs, atMs: nowMs };
}

/** The breaker after a timeout: one more, and open once there were enough in a row. */
export function afterTimeout(
  record: BreakerRecord | undefined,
  key: string,
  nowMs: number,
  { circuitBreakerCooldownMs, circuitBreakerMaxTimeouts }: BreakerSettings,
): BreakerRecord {
  const timeouts = (record?.timeouts ?? 0) + 1;
  const openUntilMs = timeouts < circuitBreakerMaxTimeouts ? 0 : nowMs + circuitBreakerCooldownMs;
  return { key, timeouts, openUntilMs, atMs: nowMs };
}

/** The breaker of a key. */
export function breakerOf(state: RecallState, key: string): BreakerRecord | undefined {
  return state.breakers.find((record) => record.key === key);
}

/** The state with this breaker; undefined takes it out, which closes it. */
export function withBreaker(
  state: RecallState,
  key: string,
  record: BreakerRecord | undefined,
): RecallState {
  const others = state.breakers.filter((other) => other.key !== key);
  return { ...state, breakers: record === undefined ? others : [...others, record] };
}

import type { ServiceSnapshot } from './service-snapshot.js';

/** Whether the process does what it is for, as `/readyz` tells it. */
export interface Readiness {
  readonly status: 'draining' | 'ready' | 'starting';
  /** Those that are not ready, and why. */
  readonly waiting: readonly { readonly service: string; readonly state: string }[];
}

/** The readiness of services as they are; `self` is the one that tells it. */
export function readinessOf(services: readonly ServiceSnapshot[], self: string): Readiness {
  const others = services.filter(({ name }) => name !== self);
  const waiting = others
    .filter(({ state }) => state !== 'ready')
    .map(({ name, state }) => ({ service: name, state }));
  if (services.some(({ state }) => state === 'draining')) return { status: 'draining', waiting };
  return { status: waiting.length === 0 ? 'ready' : 'starting', waiting };
}

import type { FlowCaller } from '../../flows/index.js';
import type { RouteSecret } from '../guards/route-secret.js';

/** A route that requests can be sent to. */
export interface ServedRoute {
  readonly id: string;
  /** Begins with one slash and ends without. */
  readonly path: string;
  readonly secret: RouteSecret;
  /** On whose behalf its actions are performed. */
  readonly caller: FlowCaller;
}

/** `served`; `off`: it, or the whole plugin, is switched off; `skipped`: its secret cannot be read. */
export type RouteState = 'served' | 'off' | 'skipped';

/** A configured route as operators see it. */
export interface RouteStanding {
  readonly id: string;
  readonly path: string;
  readonly sessionKey: string;
  readonly controllerId: string;
  readonly description: string | null;
  readonly state: RouteState;
  /** Where its secret comes from, never its value: `env CI_SECRET`. */
  readonly secretSource: string;
  /** Why it is skipped, and what to do; null otherwise. */
  readonly fault: { readonly message: string; readonly hint: string | null } | null;
}

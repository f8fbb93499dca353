import type { RouteInput } from '../../config/index.js';
import type { JsonObject } from '../../flow-model/fields.js';

/** A sender that routes are known to work with: how its route is configured, and an example of what it sends. */
export interface Preset {
  /** Such as `github.push`. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** What to do at the sender, in Markdown. */
  readonly setup: string;
  /** The keys of a route, apart from its session. */
  readonly route: Omit<RouteInput, 'sessionKey'>;
  /** Of the example, without those that prove who sends it. */
  readonly headers?: Readonly<Record<string, string>>;
  /** In the documented form of the sender. */
  readonly body: JsonObject;
}

import type * as z from 'zod/mini';
import type { configSchema } from './schema/index.js';

/** Plain data that nobody may change. */
export type DeepReadonly<T> = T extends object
  ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
  : T;

/** What a configuration file may say: everything optional, values as written. */
export type ConfigInput = DeepReadonly<z.input<typeof configSchema>>;

/** `agents` as written. */
export type AgentsInput = NonNullable<ConfigInput['agents']>;
/** One entry of `agents.list` as written. */
export type AgentInput = NonNullable<AgentsInput['list']>[number];
/** `memorySearch` as written, of the defaults or of one agent. */
export type MemorySearchInput = NonNullable<AgentInput['memorySearch']>;
/** One entry of `models.providers` as written. */
export type ModelProviderInput = NonNullable<
  NonNullable<ConfigInput['models']>['providers']
>[string];
/** `memory` as written. */
export type MemoryInput = NonNullable<ConfigInput['memory']>;
/** `plugins.entries` as written. */
export type PluginEntriesInput = NonNullable<NonNullable<ConfigInput['plugins']>['entries']>;
/** `plugins.entries.webhooks` as written. */
export type WebhooksInput = NonNullable<PluginEntriesInput['webhooks']>;
/** One webhook route as written. */
export type RouteInput = NonNullable<NonNullable<WebhooksInput['config']>['routes']>[string];
/** `flows` as written. */
export type FlowsInput = NonNullable<ConfigInput['flows']>;
/** One entry of `flows.runtimes` as written. */
export type RuntimeInput = NonNullable<NonNullable<FlowsInput['runtimes']>['acp']>;
/** `secrets` as written. */
export type SecretsInput = NonNullable<ConfigInput['secrets']>;
/** One entry of `secrets.providers` as written. */
export type SecretProviderInput = NonNullable<SecretsInput['providers']>[string];

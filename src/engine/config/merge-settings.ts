import type { DeepReadonly } from '../errors/output-schema.js';
import { isRecord } from '../support/text.js';
import type { AgentsInput, ConfigInput } from './schema/index.js';

/** `Input` with every key present that has a default. */
export type WithDefaults<Input, Defaults> = {
  readonly [K in keyof Input & keyof Defaults]-?: Filled<NonNullable<Input[K]>, Defaults[K]>;
} & { readonly [K in keyof Input as Exclude<K, keyof Defaults>]: DeepReadonly<Input[K]> };

type Filled<Value, Default> = Value extends readonly unknown[]
  ? DeepReadonly<Value>
  : Value extends object
    ? WithDefaults<Value, Default>
    : Value;

/**
 * Merges settings key by key; later layers win. Lists and secret references are replaced as a
 * whole.
 */
export function mergeSettings<Input extends object, Defaults extends object>(
  defaults: Defaults,
  ...layers: readonly (Input | undefined)[]
): WithDefaults<Input, Defaults> {
  const merged = layers.reduce<unknown>(
    (below, above) => (above === undefined ? below : overlay(below, above)),
    defaults,
  );
  // By construction, `merged` has all keys of `defaults` and otherwise only keys of the layers.
  return merged as WithDefaults<Input, Defaults>;
}

/** Settings below `memorySearch` that belong to one provider and are wrong for another. */
export const PROVIDER_SETTINGS = [
  ['model'],
  ['outputDimensionality'],
  ['remote', 'baseUrl'],
  ['remote', 'apiKey'],
  ['remote', 'headers'],
] as const;

/** A configuration with these `memorySearch` settings for every agent, unchecked. */
export function withMemorySearch(
  input: ConfigInput,
  settings: Readonly<Record<string, unknown>>,
): ConfigInput {
  const { defaults = {}, list, ...agents } = input.agents ?? {};
  const withSettings = <T extends NonNullable<AgentsInput['defaults']>>(holder: T): T => ({
    ...holder,
    memorySearch: mergeSettings(holder.memorySearch ?? {}, settings),
  });
  return {
    ...input,
    agents: {
      ...agents,
      defaults: withSettings(defaults),
      ...(list === undefined ? {} : { list: list.map(withSettings) }),
    },
  };
}

function overlay(below: unknown, above: unknown): unknown {
  if (!isSettings(below) || !isSettings(above)) return above;
  const merged: Record<string, unknown> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    if (value !== undefined) merged[key] = overlay(merged[key], value);
  }
  return merged;
}

function isSettings(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && !('source' in value && 'id' in value);
}

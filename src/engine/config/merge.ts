import { isRecord } from './config-path.js';
import type { DeepReadonly } from './input.js';

/** `Input` in which every key that has a default is there; the others are as required as before. */
export type WithDefaults<Input, Defaults> = {
  readonly [K in keyof Input & keyof Defaults]-?: Filled<NonNullable<Input[K]>, Defaults[K]>;
} & { readonly [K in keyof Input as Exclude<K, keyof Defaults>]: DeepReadonly<Input[K]> };

type Filled<Value, Default> = Value extends readonly unknown[]
  ? DeepReadonly<Value>
  : Value extends object
    ? WithDefaults<Value, Default>
    : Value;

/**
 * Lays settings over their defaults, key by key; later layers win. Lists and secret references are
 * single values: they replace one another and are not mixed.
 */
export function mergeSettings<Input extends object, Defaults extends object>(
  defaults: Defaults,
  ...layers: readonly (Input | undefined)[]
): WithDefaults<Input, Defaults> {
  const merged = layers.reduce<unknown>(
    (below, above) => (above === undefined ? below : overlay(below, above)),
    defaults,
  );
  // True by construction: `merged` has each key of `defaults`, and otherwise only keys of the layers.
  return merged as WithDefaults<Input, Defaults>;
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

/** Freezes plain data through and through, and gives it back. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) deepFreeze(item);
  }
  return value;
}

import { SvcError } from '../errors/index.js';
import { nameHint } from '../support/text.js';
import { checkConfigText } from './check.js';
import { coerceValue } from './known-path.js';
import { mergeSettings, withMemorySearch } from './merge-settings.js';
import { resolveConfig } from './resolve-config.js';
import type { LoadedConfig } from './resolved.js';
import { memorySearch } from './schema/memory-search.js';
import { isGroup, walkKeys } from './schema/walk.js';

/** A setting to try, by its path in `memorySearch`. */
export interface TrialSetting {
  readonly path: readonly string[];
  readonly value: unknown;
}

/**
 * Parses a `memorySearch` setting. An unambiguous end of a key's path is enough: `textWeight` and
 * `hybrid.textWeight` are `query.hybrid.textWeight`.
 *
 * @throws SvcError USAGE if no key or several match
 */
export function readTrialSetting(name: string, value: string): TrialSetting {
  const path = keyNamed(name);
  return { path, value: coerceValue([...DEFAULTS, ...path], value) };
}

/** Settings as a `memorySearch` object. */
export function trialObject(settings: readonly TrialSetting[]): Readonly<Record<string, unknown>> {
  return settings.reduce<Readonly<Record<string, unknown>>>(
    (object, { path, value }) => mergeSettings(object, nested(path, value)),
    {},
  );
}

/**
 * A configuration with these `memorySearch` settings for every agent; writes nothing.
 *
 * @throws SvcError USAGE if they are invalid
 */
export function withTrialSettings(
  loaded: LoadedConfig,
  settings: Readonly<Record<string, unknown>>,
): LoadedConfig {
  const text = JSON.stringify(withMemorySearch(loaded.input, settings));
  const { input, faults } = checkConfigText('these settings', text);
  if (input !== undefined) return { ...loaded, input, resolved: resolveConfig(input) };
  const [fault] = faults;
  throw new SvcError('USAGE', `invalid settings: ${fault?.message ?? 'unknown problem'}`, {
    ...(fault?.expected === undefined ? {} : { hint: `expected ${fault.expected}` }),
  });
}

const DEFAULTS = ['agents', 'defaults', 'memorySearch'] as const;

function keyNamed(name: string): readonly string[] {
  const keys = [...walkKeys(memorySearch())]
    .filter(({ path, schema }) => !path.includes('*') && !isGroup(schema))
    .map(({ text }) => text);
  const found = keys.includes(name) ? [name] : keys.filter((key) => key.endsWith(`.${name}`));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only.split('.');
  if (found.length > 1) {
    throw new SvcError('USAGE', `"${name}" could be any of ${found.join(', ')}`, {
      hint: 'use the full key',
    });
  }
  throw new SvcError('USAGE', `unknown memorySearch setting "${name}"`, {
    hint: nameHint(name, keys, 'see agents.defaults.memorySearch in "svc config schema"'),
  });
}

function nested(path: readonly string[], value: unknown): Readonly<Record<string, unknown>> {
  const [first = '', ...rest] = path;
  return { [first]: rest.length === 0 ? value : nested(rest, value) };
}

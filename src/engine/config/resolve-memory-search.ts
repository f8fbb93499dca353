import { canonicalProvider } from './adapters.js';
import { MEMORY_SEARCH_DEFAULTS } from './defaults.js';
import type { MemorySearchInput } from './input.js';
import { mergeSettings } from './merge.js';
import type { MemorySearchSettings } from './resolved.js';
import {
  parseSecret,
  type SecretDefaults,
  type SecretInput,
  type SecretValue,
} from './secret-input.js';

/**
 * Lays an agent's `memorySearch` over that of the defaults, field by field. `extraPaths` and
 * `ext.extraCollections` are joined, the first of two equal paths kept (spec/memory-search §2.6).
 */
export function resolveMemorySearch(
  defaults: MemorySearchInput | undefined,
  agent: MemorySearchInput | undefined,
  secretDefaults: SecretDefaults,
): MemorySearchSettings {
  const merged = mergeSettings(MEMORY_SEARCH_DEFAULTS, defaults, agent);
  const { apiKey, headers, ...remote } = merged.remote;
  const paths = [...(defaults?.extraPaths ?? []), ...(agent?.extraPaths ?? [])];
  const collections = [
    ...(defaults?.ext?.extraCollections ?? []),
    ...(agent?.ext?.extraCollections ?? []),
  ];
  return {
    ...merged,
    provider: canonicalProvider(merged.provider),
    fallback: canonicalProvider(merged.fallback),
    extraPaths: uniqueBy(
      paths.map((path) => path.trim()).filter((path) => path !== ''),
      (path) => path,
    ),
    ext: {
      extraCollections: uniqueBy(collections, ({ path, pattern }) => `${path}\n${pattern ?? ''}`),
    },
    remote: {
      ...remote,
      ...(apiKey === undefined ? {} : { apiKey: parseSecret(apiKey, secretDefaults) }),
      headers: parseSecrets(headers, secretDefaults),
    },
  };
}

/** Parses every secret of a map, for instance of headers. */
export function parseSecrets(
  values: Readonly<Record<string, SecretValue>> | undefined,
  defaults: SecretDefaults,
): Readonly<Record<string, SecretInput>> {
  return Object.fromEntries(
    Object.entries(values ?? {}).map(([name, value]) => [name, parseSecret(value, defaults)]),
  );
}

function uniqueBy<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const byKey = new Map<string, T>();
  for (const item of items) {
    const key = keyOf(item);
    if (!byKey.has(key)) byKey.set(key, item);
  }
  return [...byKey.values()];
}

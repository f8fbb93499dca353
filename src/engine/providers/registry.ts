import { bedrock } from './bedrock/index.js';
import { deepinfra } from './deepinfra.js';
import { gemini } from './gemini/index.js';
import { githubCopilot } from './github-copilot/index.js';
import { lmstudio } from './lmstudio.js';
import { local } from './local/index.js';
import { mistral } from './mistral.js';
import { ollama } from './ollama.js';
import { openai } from './openai.js';
import type { Provider } from './provider.js';
import { voyage } from './voyage.js';

export * from './dimensions.js';
export { type Availability, addressUsed, isCustomAddress, type Provider } from './provider.js';

/** Everything known about each provider, in the order of auto-detection: free and local providers first. */
export const PROVIDERS = {
  local,
  'github-copilot': githubCopilot,
  openai,
  gemini,
  voyage,
  mistral,
  deepinfra,
  bedrock,
  lmstudio,
  ollama,
} as const;

export type AdapterId = keyof typeof PROVIDERS;

const ALL = Object.values<Provider<AdapterId>>(PROVIDERS);

/** Providers that auto-detection considers, in order. */
export const AUTO_ORDER = ALL.filter(({ detect }) => detect !== 'never').map(({ id }) => id);

/** In alphabetical order, for display. */
export const ADAPTER_IDS: readonly AdapterId[] = ALL.map(({ id }) => id).sort();

/** The spec's provider kinds, with their ids. */
export const ADAPTER_KINDS: ReadonlyMap<string, AdapterId> = new Map(
  ADAPTER_IDS.flatMap((id) => {
    const { kind } = PROVIDERS[id];
    return kind === null ? [] : [[kind, id] as const];
  }),
);

export function isAdapterId(name: string): name is AdapterId {
  return Object.hasOwn(PROVIDERS, name);
}

/** The provider for an id or a kind. */
export function adapterOf(name: string): AdapterId | undefined {
  return isAdapterId(name) ? name : ADAPTER_KINDS.get(name);
}

/** The id for a kind; other names are unchanged. */
export function canonicalProvider(name: string): string {
  return adapterOf(name) ?? name;
}

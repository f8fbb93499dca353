import type { ResolvedMemorySearch } from '../config/index.js';
import { availability, type ProviderChoice, type ProviderWorld } from './choose-provider.js';

/** What led to a provider: a setting of `memorySearch`, or a sign that auto-detection found. */
export type ChoiceReason =
  | { readonly kind: 'setting'; readonly key: 'fallback' | 'provider' | `remote.${string}` }
  | { readonly kind: 'sign'; readonly sign: string };

/** Why the settings lead to a provider that they do lead to. */
export function whyChosen(
  choice: ProviderChoice,
  settings: ResolvedMemorySearch,
  world: ProviderWorld,
): ChoiceReason {
  if (!choice.isPrimary) return { kind: 'setting', key: 'fallback' };
  if (choice.by === 'configured') return { kind: 'setting', key: 'provider' };
  const { baseUrl, apiKey } = settings.remote;
  if (baseUrl !== undefined) return { kind: 'setting', key: 'remote.baseUrl' };
  if (apiKey !== undefined) return { kind: 'setting', key: 'remote.apiKey' };
  const found = availability(choice.adapter, settings, world);
  return { kind: 'sign', sign: found.available ? found.because : found.why };
}

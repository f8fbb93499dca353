import type { ResolvedMemorySearch } from '../config/index.js';
import { ADAPTER_FACTS } from './adapter-facts.js';
import { parseModelReference } from './adapters/local/model-reference.js';
import type { ProviderChoice } from './choose-provider.js';

/**
 * The model that a provider would use, as it may be shown: what is configured, else the default; null
 * where the vendor's own list decides. A local one is a file or an address, without secrets in it.
 */
export function shownModel(
  { adapter, model }: ProviderChoice,
  { local }: ResolvedMemorySearch,
): string | null {
  if (adapter !== 'local') return model ?? ADAPTER_FACTS[adapter].model;
  try {
    return parseModelReference(local.modelPath).name;
  } catch {
    // Opening it tells what is wrong with it.
    return null;
  }
}

import type { AdapterId } from '../config/index.js';
import type { ProviderSettings } from './provider-settings.js';
import type { EmbeddingVendor, VendorTools } from './vendor.js';

/** Makes a vendor from its settings; may ask the vendor what it offers. */
export type VendorFactory = (
  settings: ProviderSettings,
  tools: VendorTools,
  signal: AbortSignal,
) => EmbeddingVendor | Promise<EmbeddingVendor>;

/** Each adapter's code is loaded when it is chosen, and no other. */
export const VENDOR_FACTORIES: Readonly<Partial<Record<AdapterId, () => Promise<VendorFactory>>>> =
  {
    local: async () => (await import('./adapters/local/local-vendor.js')).createLocalVendor,
    openai: async () => (await import('./adapters/openai.js')).createOpenAiVendor,
  };

/**
 * Loads the code of an adapter.
 *
 * @throws VendorFault when this build has none
 */
export async function loadVendorFactory(id: AdapterId): Promise<VendorFactory> {
  const load = VENDOR_FACTORIES[id];
  if (load === undefined) throw new Error(`no adapter ${id}`);
  return load();
}

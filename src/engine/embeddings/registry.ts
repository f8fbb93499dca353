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
export const VENDOR_FACTORIES: Readonly<Record<AdapterId, () => Promise<VendorFactory>>> = {
  bedrock: async () => (await import('./adapters/bedrock/bedrock.js')).createBedrockVendor,
  deepinfra: async () => (await import('./adapters/deepinfra.js')).createDeepInfraVendor,
  gemini: async () => (await import('./adapters/gemini.js')).createGeminiVendor,
  'github-copilot': async () => (await import('./adapters/github-copilot.js')).createCopilotVendor,
  lmstudio: async () => (await import('./adapters/lmstudio.js')).createLmStudioVendor,
  local: async () => (await import('./adapters/local/local-vendor.js')).createLocalVendor,
  mistral: async () => (await import('./adapters/mistral.js')).createMistralVendor,
  ollama: async () => (await import('./adapters/ollama.js')).createOllamaVendor,
  openai: async () => (await import('./adapters/openai.js')).createOpenAiVendor,
  voyage: async () => (await import('./adapters/voyage.js')).createVoyageVendor,
};

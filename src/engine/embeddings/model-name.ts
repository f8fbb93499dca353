import type { AdapterId } from '../config/index.js';

/** Names that people put before a model to say whose it is; the vendors do not know them. */
const PREFIXES: Readonly<Record<AdapterId, readonly string[]>> = {
  bedrock: ['bedrock', 'amazon-bedrock', 'aws'],
  deepinfra: ['deepinfra'],
  gemini: ['models', 'gemini', 'google'],
  'github-copilot': ['github-copilot', 'copilot'],
  lmstudio: ['lmstudio'],
  local: [],
  mistral: ['mistral'],
  ollama: ['ollama'],
  openai: ['openai'],
  voyage: ['voyage'],
};

/**
 * A configured model as the vendor knows it: without the vendor's prefix, or that of the
 * `models.providers` entry (spec/memory-search §2.1).
 */
export function modelName(model: string, adapter: AdapterId, provider: string): string {
  for (const prefix of [provider, ...PREFIXES[adapter]]) {
    if (model.startsWith(`${prefix}/`)) return model.slice(prefix.length + 1);
  }
  return model;
}

import type { AdapterId } from '../config/index.js';

/** What embedding costs: `unknown` where an address of the configuration decides it. */
export type CostClass = 'free' | 'per_token' | 'self_hosted' | 'subscription' | 'unknown';

/** What is known of an adapter without loading it; for lists and for a status that asks nobody. */
export interface AdapterFacts {
  readonly cost: Exclude<CostClass, 'unknown'>;
  /** Whether the vendor has a batch API for embeddings (spec/memory-search §2.9). */
  readonly batch: boolean;
  /** Used when `model` is unset; null where the vendor's own list decides. */
  readonly model: string | null;
  /** Used when no address is configured; null where region or account decide. */
  readonly endpoint: string | null;
}

const HOSTED = { cost: 'per_token', batch: false } as const;

/** The vendors' own pages; see the adapters for where each is from. */
export const ADAPTER_FACTS: Readonly<Record<AdapterId, AdapterFacts>> = {
  bedrock: { ...HOSTED, model: 'amazon.titan-embed-text-v2:0', endpoint: null },
  deepinfra: { ...HOSTED, model: 'BAAI/bge-m3', endpoint: 'https://api.deepinfra.com/v1/openai' },
  gemini: {
    ...HOSTED,
    batch: true,
    model: 'gemini-embedding-001',
    endpoint: 'https://generativelanguage.googleapis.com/v1beta',
  },
  'github-copilot': { cost: 'subscription', batch: false, model: null, endpoint: null },
  lmstudio: {
    cost: 'self_hosted',
    batch: false,
    model: 'text-embedding-nomic-embed-text-v1.5',
    endpoint: 'http://localhost:1234/v1',
  },
  local: {
    cost: 'free',
    batch: false,
    model: 'hf:ggml-org/embeddinggemma-300m-qat-q8_0-GGUF/embeddinggemma-300m-qat-Q8_0.gguf',
    endpoint: 'local',
  },
  mistral: { ...HOSTED, model: 'mistral-embed', endpoint: 'https://api.mistral.ai/v1' },
  ollama: {
    cost: 'self_hosted',
    batch: false,
    model: 'nomic-embed-text',
    endpoint: 'http://127.0.0.1:11434',
  },
  openai: {
    ...HOSTED,
    batch: true,
    model: 'text-embedding-3-small',
    endpoint: 'https://api.openai.com/v1',
  },
  voyage: {
    ...HOSTED,
    batch: true,
    model: 'voyage-4-large',
    endpoint: 'https://api.voyageai.com/v1',
  },
};

/** Lengths that models give unasked, by their bare names (spec/memory-search §2.3, vendors' pages). */
const USUAL_DIMENSIONS: Readonly<Record<string, number>> = {
  'amazon.nova-2-multimodal-embeddings-v1': 1024,
  'amazon.titan-embed-g1-text-02': 1536,
  'amazon.titan-embed-image-v1': 1024,
  'amazon.titan-embed-text-v1': 1536,
  'amazon.titan-embed-text-v2': 1024,
  'bge-m3': 1024,
  'codestral-embed': 1536,
  'cohere.embed-english-v3': 1024,
  'cohere.embed-multilingual-v3': 1024,
  'cohere.embed-v4': 1536,
  'embeddinggemma-300m-qat-Q8_0.gguf': 768,
  'gemini-embedding-001': 3072,
  'gemini-embedding-2': 3072,
  'mistral-embed': 1024,
  'mxbai-embed-large': 1024,
  'nomic-embed-text': 768,
  'text-embedding-3-large': 3072,
  'text-embedding-3-small': 1536,
  'text-embedding-ada-002': 1536,
  'text-embedding-nomic-embed-text-v1.5': 768,
  'twelvelabs.marengo-embed-2-7-v1': 1024,
  'twelvelabs.marengo-embed-3-0-v1': 512,
  'voyage-3-large': 1024,
  'voyage-3.5': 1024,
  'voyage-3.5-lite': 1024,
  'voyage-4': 1024,
  'voyage-4-large': 1024,
  'voyage-4-lite': 1024,
  'voyage-code-3': 1024,
};

/**
 * The length of a model's vectors when none is asked for; null for a model that is not known here.
 * Folders, region prefixes and what follows a colon are no part of the name.
 */
export function usualDimensions(model: string): number | null {
  const bare = model
    .slice(model.lastIndexOf('/') + 1)
    .replace(/^(?:us|eu|apac|global)\./u, '')
    .replace(/:.*$/u, '');
  return (Object.hasOwn(USUAL_DIMENSIONS, bare) ? USUAL_DIMENSIONS[bare] : undefined) ?? null;
}

import { type AdapterId, DEFAULT_MODELS, dimensionsOf } from '../config/index.js';
import { DEFAULT_MODEL } from './adapters/local/model-reference.js';

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
  bedrock: { ...HOSTED, model: DEFAULT_MODELS.bedrock, endpoint: null },
  deepinfra: {
    ...HOSTED,
    model: DEFAULT_MODELS.deepinfra,
    endpoint: 'https://api.deepinfra.com/v1/openai',
  },
  gemini: {
    ...HOSTED,
    batch: true,
    model: DEFAULT_MODELS.gemini,
    endpoint: 'https://generativelanguage.googleapis.com/v1beta',
  },
  'github-copilot': { cost: 'subscription', batch: false, model: null, endpoint: null },
  lmstudio: {
    cost: 'self_hosted',
    batch: false,
    model: DEFAULT_MODELS.lmstudio,
    endpoint: 'http://localhost:1234/v1',
  },
  local: {
    cost: 'free',
    batch: false,
    model: DEFAULT_MODEL,
    endpoint: 'local',
  },
  mistral: { ...HOSTED, model: DEFAULT_MODELS.mistral, endpoint: 'https://api.mistral.ai/v1' },
  ollama: {
    cost: 'self_hosted',
    batch: false,
    model: DEFAULT_MODELS.ollama,
    endpoint: 'http://127.0.0.1:11434',
  },
  openai: {
    ...HOSTED,
    batch: true,
    model: DEFAULT_MODELS.openai,
    endpoint: 'https://api.openai.com/v1',
  },
  voyage: {
    ...HOSTED,
    batch: true,
    model: DEFAULT_MODELS.voyage,
    endpoint: 'https://api.voyageai.com/v1',
  },
};

/**
 * Lengths that models give unasked, where that is not the largest they can be asked for, or where
 * they cannot be asked (spec/memory-search §2.3, vendors' pages).
 */
const USUAL_DIMENSIONS: Readonly<Record<string, number>> = {
  'codestral-embed': 1536,
  'codestral-embed-2505': 1536,
  'embeddinggemma-300m-qat-Q8_0.gguf': 768,
  'text-embedding-nomic-embed-text-v1.5': 768,
};
/** Of all models that offer a list of lengths. */
const USUAL_OF_LISTED = 1024;

/** The length of a model's vectors when none is asked for; null for a model that is not known here. */
export function usualDimensions(adapter: AdapterId, model: string): number | null {
  const name = model.slice(model.lastIndexOf('/') + 1);
  const usual = Object.hasOwn(USUAL_DIMENSIONS, name) ? USUAL_DIMENSIONS[name] : undefined;
  if (usual !== undefined) return usual;
  const choice = dimensionsOf(adapter, model);
  switch (choice?.kind) {
    case 'fixed':
      return choice.size;
    case 'range':
      return choice.to;
    case 'listed':
      return choice.sizes.includes(USUAL_OF_LISTED) ? USUAL_OF_LISTED : null;
    case undefined:
      return null;
  }
}

import { ADAPTER_TRAITS, type AdapterId } from './adapters.js';

/** The vector lengths a model can be asked for. */
export type DimensionChoice =
  | { readonly kind: 'fixed'; readonly size: number }
  | { readonly kind: 'listed'; readonly sizes: readonly number[] }
  | { readonly kind: 'range'; readonly from: number; readonly to: number };

const fixed = (size: number): DimensionChoice => ({ kind: 'fixed', size });
const listed = (...sizes: readonly number[]): DimensionChoice => ({ kind: 'listed', sizes });
const range = (from: number, to: number): DimensionChoice => ({ kind: 'range', from, to });

const VOYAGE = listed(256, 512, 1024, 2048);
const OPENAI: Readonly<Record<string, DimensionChoice>> = {
  'text-embedding-3-small': range(1, 1536),
  'text-embedding-3-large': range(1, 3072),
  'text-embedding-ada-002': fixed(1536),
};

/**
 * The model an adapter uses when `model` is unset. The local adapter's is a file, and GitHub
 * Copilot is asked for the ones it has.
 */
export const DEFAULT_MODELS = {
  bedrock: 'amazon.titan-embed-text-v2:0',
  deepinfra: 'BAAI/bge-m3',
  gemini: 'gemini-embedding-001',
  lmstudio: 'text-embedding-nomic-embed-text-v1.5',
  mistral: 'mistral-embed',
  ollama: 'nomic-embed-text',
  openai: 'text-embedding-3-small',
  voyage: 'voyage-4-large',
} as const satisfies Readonly<Partial<Record<AdapterId, string>>>;

/** The adapter's {@link DEFAULT_MODELS}; undefined where it has none by name. */
export function defaultModelOf(adapter: AdapterId): string | undefined {
  const models: Readonly<Partial<Record<AdapterId, string>>> = DEFAULT_MODELS;
  return models[adapter];
}

/**
 * Bedrock per spec/memory-search §2.3; the others as their vendors document them. Ranges end at the
 * model's own size: DeepInfra fills up with zeros beyond it, Ollama ignores the wish.
 */
const MODEL_DIMENSIONS: Readonly<
  Partial<Record<AdapterId, Readonly<Record<string, DimensionChoice>>>>
> = {
  bedrock: {
    'amazon.titan-embed-text-v2': listed(256, 512, 1024),
    'amazon.titan-embed-text-v1': fixed(1536),
    'amazon.titan-embed-g1-text-02': fixed(1536),
    'amazon.titan-embed-image-v1': fixed(1024),
    'amazon.nova-2-multimodal-embeddings-v1': listed(256, 384, 1024, 3072),
    'cohere.embed-english-v3': fixed(1024),
    'cohere.embed-multilingual-v3': fixed(1024),
    'cohere.embed-v4': range(256, 1536),
    'twelvelabs.marengo-embed-3-0-v1': fixed(512),
    'twelvelabs.marengo-embed-2-7-v1': fixed(1024),
  },
  deepinfra: {
    'bge-base-en-v1.5': range(32, 768),
    'bge-large-en-v1.5': range(32, 1024),
    'bge-m3': range(32, 1024),
    'multilingual-e5-large': range(32, 1024),
    'Qwen3-Embedding-0.6B': range(32, 1024),
    'Qwen3-Embedding-4B': range(32, 2560),
    'Qwen3-Embedding-8B': range(32, 4096),
  },
  gemini: { 'gemini-embedding-001': range(128, 3072), 'gemini-embedding-2': range(128, 3072) },
  'github-copilot': OPENAI,
  mistral: {
    'mistral-embed': fixed(1024),
    'mistral-embed-2312': fixed(1024),
    'codestral-embed': range(1, 3072),
    'codestral-embed-2505': range(1, 3072),
  },
  ollama: {
    'all-minilm': range(1, 384),
    'bge-large': range(1, 1024),
    'bge-m3': range(1, 1024),
    embeddinggemma: range(1, 768),
    'mxbai-embed-large': range(1, 1024),
    'nomic-embed-text': range(1, 768),
    'nomic-embed-text:v1.5': range(1, 768),
    'qwen3-embedding': range(1, 4096),
    'qwen3-embedding:0.6b': range(1, 1024),
    'qwen3-embedding:4b': range(1, 2560),
    'qwen3-embedding:8b': range(1, 4096),
    'snowflake-arctic-embed2': range(1, 1024),
  },
  openai: OPENAI,
  voyage: {
    'voyage-4-large': VOYAGE,
    'voyage-4': VOYAGE,
    'voyage-4-lite': VOYAGE,
    'voyage-code-3': VOYAGE,
    'voyage-3-large': VOYAGE,
    'voyage-3.5': VOYAGE,
    'voyage-3.5-lite': VOYAGE,
    'voyage-3': fixed(1024),
    'voyage-3-lite': fixed(512),
    'voyage-code-2': fixed(1536),
    'voyage-finance-2': fixed(1024),
    'voyage-law-2': fixed(1024),
  },
};

/**
 * What `outputDimensionality` may be for a model; undefined when the model is not known here, and
 * then nothing is checked. Vendor prefixes, region prefixes, throughput suffixes and Ollama's `:latest`
 * are ignored; behind a `#` stands the model that an opaque Bedrock ARN is for.
 */
export function dimensionsOf(adapter: AdapterId, model: string): DimensionChoice | undefined {
  const models = MODEL_DIMENSIONS[adapter] ?? {};
  const last = model.slice(Math.max(model.lastIndexOf('/'), model.lastIndexOf('#')) + 1);
  const name =
    adapter === 'bedrock'
      ? last.replace(/^[a-z-]+\.(?=[a-z\d]+\.)/u, '').replace(/:.*$/u, '')
      : last.replace(/:latest$/u, '');
  return Object.hasOwn(models, name) ? models[name] : undefined;
}

/**
 * The length of vectors to ask a vendor for: `size` where the model can be asked for it or is not
 * known here, else undefined, which leaves it to the model. The rules have said so by then; what
 * comes here beyond them is a fallback, for which `outputDimensionality` was not written.
 */
export function dimensionsToAsk(
  adapter: AdapterId,
  model: string,
  size: number | undefined,
): number | undefined {
  if (size === undefined || !ADAPTER_TRAITS[adapter].dimensions) return undefined;
  const choice = dimensionsOf(adapter, model);
  if (choice === undefined) return size;
  return choice.kind !== 'fixed' && allowsDimensions(choice, size) ? size : undefined;
}

/** Whether a model can give vectors of this length. */
export function allowsDimensions(choice: DimensionChoice, size: number): boolean {
  switch (choice.kind) {
    case 'fixed':
      return size === choice.size;
    case 'listed':
      return choice.sizes.includes(size);
    case 'range':
      return size >= choice.from && size <= choice.to;
  }
}

/** The choice in words, for a fault's "expected". */
export function describeDimensions(choice: DimensionChoice): string {
  switch (choice.kind) {
    case 'fixed':
      return `${choice.size}, the only size of this model`;
    case 'listed':
      return choice.sizes.join(', ');
    case 'range':
      return `${choice.from} to ${choice.to}`;
  }
}

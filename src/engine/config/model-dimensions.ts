import type { AdapterId } from './adapters.js';

/** The vector lengths a model can be asked for. */
export type DimensionChoice =
  | { readonly kind: 'fixed'; readonly size: number }
  | { readonly kind: 'listed'; readonly sizes: readonly number[] }
  | { readonly kind: 'range'; readonly from: number; readonly to: number };

const fixed = (size: number): DimensionChoice => ({ kind: 'fixed', size });
const listed = (...sizes: readonly number[]): DimensionChoice => ({ kind: 'listed', sizes });
const range = (from: number, to: number): DimensionChoice => ({ kind: 'range', from, to });

const VOYAGE = listed(256, 512, 1024, 2048);

/** The model an adapter uses when `model` is unset, where its dimensions are known. */
export const DEFAULT_MODELS: Readonly<Partial<Record<AdapterId, string>>> = {
  bedrock: 'amazon.titan-embed-text-v2:0',
  gemini: 'gemini-embedding-001',
  openai: 'text-embedding-3-small',
  voyage: 'voyage-4-large',
};

/** Bedrock per spec/memory-search §2.3; the others as their vendors document them. */
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
  gemini: { 'gemini-embedding-001': range(128, 3072), 'gemini-embedding-2': range(128, 3072) },
  openai: {
    'text-embedding-3-small': range(1, 1536),
    'text-embedding-3-large': range(1, 3072),
    'text-embedding-ada-002': fixed(1536),
  },
  voyage: {
    'voyage-4-large': VOYAGE,
    'voyage-4': VOYAGE,
    'voyage-4-lite': VOYAGE,
    'voyage-code-3': VOYAGE,
    'voyage-3-large': VOYAGE,
    'voyage-3.5': VOYAGE,
    'voyage-3.5-lite': VOYAGE,
  },
};

/**
 * What `outputDimensionality` may be for a model; undefined when the model is not known here, and
 * then nothing is checked. Vendor prefixes, region prefixes and throughput suffixes are ignored; behind a
 * `#` stands the model that an opaque Bedrock ARN is for.
 */
export function dimensionsOf(adapter: AdapterId, model: string): DimensionChoice | undefined {
  const models = MODEL_DIMENSIONS[adapter] ?? {};
  const last = model.slice(Math.max(model.lastIndexOf('/'), model.lastIndexOf('#')) + 1);
  const name =
    adapter === 'bedrock'
      ? last.replace(/^[a-z-]+\.(?=[a-z\d]+\.)/u, '').replace(/:.*$/u, '')
      : last;
  return Object.hasOwn(models, name) ? models[name] : undefined;
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

import type { CostClass } from '../../engine/embeddings/adapter-facts.js';
import type { CredentialView } from '../../engine/embeddings/credential-view.js';

const COSTS: Readonly<Record<CostClass, string>> = {
  free: 'free',
  per_token: 'per token',
  self_hosted: 'self-hosted',
  subscription: 'subscription',
  unknown: 'its own',
};

/** What embedding costs, in a word or two. */
export function costWords(cost: CostClass): string {
  return COSTS[cost];
}

/** Where a key is and whether it is set: `env OPENAI_API_KEY, set`. */
export function credentialWords({ state, source, set }: CredentialView): string {
  if (state === 'not_needed') return 'none needed';
  if (source === null) return '–';
  if (set === null) return source;
  return `${source}, ${set ? 'set' : 'not set'}`;
}

/** A model without the place it is fetched from: the last part of an `hf:` or http reference. */
export function modelWords(model: string | null): string {
  if (model === null) return '–';
  return /^(?:hf:|https?:)/u.test(model) ? model.slice(model.lastIndexOf('/') + 1) : model;
}

/*
 * Reranking: a model reorders the best candidates of a search. Every search loads this file; the rest is
 * loaded on first use.
 */
import type { PassageReranker, RerankOptions } from './rerank-passages.js';

export type { PassageReranker } from './rerank-passages.js';
export type { RerankUse } from './score-cache.js';

/** A configured reranker, loaded on first use. */
export interface Reranking {
  /** How many of the best candidates are reranked. */
  readonly topN: number;
  /** The same every time. */
  load(): Promise<PassageReranker>;
  close(): Promise<void>;
}

/** Undefined if reranking is off. */
export function createReranking(options: RerankOptions): Reranking | undefined {
  const { provider, topN } = options.settings.query.rerank;
  if (provider === 'none') return undefined;
  let loaded: Promise<PassageReranker> | undefined;
  return {
    topN,
    load: () => {
      loaded ??= import('./rerank-passages.js').then(
        (module) => new module.PassageReranker(provider, options),
      );
      return loaded;
    },
    close: async () => (await loaded)?.close(),
  };
}

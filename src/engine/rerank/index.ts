/*
 * Reranking: a model reorders the best candidates of a search. Every search loads this file; the rest is
 * loaded on first use.
 */
import type { PassageReranker, RerankOptions } from './rerank-passages.js';

export type { PassageReranker } from './rerank-passages.js';
export type { RerankUse } from './score-cache.js';

export type Reranking = NonNullable<ReturnType<typeof createReranking>>;

/** A configured reranker, loaded on first use; undefined if reranking is off. */
export function createReranking(options: RerankOptions) {
  const { provider, topN } = options.settings.query.rerank;
  if (provider === 'none') return undefined;
  let loaded: Promise<PassageReranker> | undefined;
  return {
    /** How many of the best candidates are reranked. */
    topN,
    /** The same every time. */
    load: (): Promise<PassageReranker> => {
      loaded ??= import('./rerank-passages.js').then((module) =>
        module.passageReranker(provider, options),
      );
      return loaded;
    },
    close: async (): Promise<void> => (await loaded)?.close(),
  };
}

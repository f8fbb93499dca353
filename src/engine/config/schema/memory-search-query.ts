import * as z from 'zod/mini';
import { decimal, integer, key, section } from './keys.js';

/** `memorySearch.chunking`: sizes in tokens. */
export function chunking() {
  return z.strictObject({
    tokens: key(integer(16, 8192), 'Size of a chunk, in tokens'),
    overlap: key(integer(0, 8191), 'Tokens that two neighbouring chunks share; less than `tokens`'),
  });
}

const mmr = () =>
  z.strictObject({
    enabled: key(z.boolean(), 'Prefer results that differ from the ones above them'),
    lambda: key(decimal(0, 1), '1 ranks by relevance alone, 0 by difference alone'),
  });

const temporalDecay = () =>
  z.strictObject({
    enabled: key(z.boolean(), 'Lower the scores of old dated notes; undated files never decay'),
    halfLifeDays: key(integer(1), 'Age at which a score has halved, in days'),
  });

const hybrid = () =>
  z.strictObject({
    enabled: key(z.boolean(), 'Combine BM25 and vector search'),
    vectorWeight: key(decimal(0, 1), 'Weight of the vector score'),
    textWeight: key(decimal(0, 1), 'Weight of the BM25 score'),
    candidateMultiplier: key(integer(1, 20), 'Candidates fetched for each result wanted'),
    mmr: section(mmr, 'Diversity of the results'),
    temporalDecay: section(temporalDecay, 'Age of the results'),
  });

/** `memorySearch.query` (spec/memory-search §2.5). */
export function query() {
  return z.strictObject({
    maxResults: key(integer(1, 1000), 'Results of one search'),
    minScore: key(decimal(0, 1), 'Results below this score are left out'),
    snippetChars: key(integer(40, 20_000), 'Length of a snippet, in characters'),
    hybrid: section(hybrid, 'How lexical and vector scores are combined'),
  });
}

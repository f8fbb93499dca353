import type { MemoryIndex } from '../index/memory-index.js';
import type { BareResult, SearchResult } from './types.js';

/** Says of each result what kind of document it is from. */
export async function withKinds(
  index: MemoryIndex,
  results: readonly BareResult[],
): Promise<readonly SearchResult[]> {
  if (results.length === 0) return [];
  const described = await index.describe(results);
  const byKey = new Map(described.map((document) => [keyOf(document), document]));
  return results.map((result) => {
    const { kind = 'markdown', mimeType } = byKey.get(keyOf(result)) ?? {};
    return mimeType === undefined ? { ...result, kind } : { ...result, kind, mimeType };
  });
}

function keyOf({ source, path }: Pick<SearchResult, 'path' | 'source'>): string {
  return `${source}:${path}`;
}

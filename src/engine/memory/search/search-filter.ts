import type { CandidateFilter } from '../index/memory-index.js';
import type { Source } from '../types.js';
import type { SearchRequest } from './types.js';

/**
 * What a request leaves out.
 *
 * @param searched the sources that answers come from, whatever is asked; undefined for all
 */
export async function filterOf(
  request: SearchRequest,
  searched: readonly Source[] | undefined,
): Promise<CandidateFilter> {
  const asked = request.sources;
  const sources = asked?.filter((source) => searched?.includes(source) ?? true) ?? searched;
  const path = request.pathGlob === undefined ? undefined : await pathFilter(request.pathGlob);
  return {
    ...(sources === undefined ? {} : { sources }),
    ...(path === undefined ? {} : { path }),
  };
}

/** Loaded only by those who ask for it: few searches name a pattern. */
async function pathFilter(glob: string): Promise<(path: string) => boolean> {
  const { createPathFilter } = await import('./path-glob.js');
  return createPathFilter(glob);
}

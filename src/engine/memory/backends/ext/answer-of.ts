import { realOrGiven } from '../../../real-path.js';
import { type ForgetPlaces, readForgotten } from '../../forget/forget-list.js';
import type { SearchMode, SearchRequest, SearchResponse } from '../../search/types.js';
import { modeFor } from './ext-asker.js';
import type { ExtMode, ExtSettings } from './ext-settings.js';
import { type PlaceOptions, placeHits } from './place-hits.js';
import { requestWarnings } from './request-warnings.js';
import type { ToolHit } from './tool/read-answer.js';

/** What an answer is made with. */
export interface AnswerOptions extends Pick<PlaceOptions, 'chunking' | 'citations'> {
  readonly settings: ExtSettings;
  readonly forget: ForgetPlaces;
}

const MODES: Readonly<Record<ExtMode, SearchMode>> = {
  search: 'lexical',
  vsearch: 'vector',
  query: 'hybrid',
};

/**
 * The program's hits as an answer: at their places, within the limits, without what is forgotten.
 *
 * @throws SvcError FORGET_LIST_INVALID
 */
export async function answerOf(
  request: SearchRequest,
  hits: readonly ToolHit[],
  { settings, citations, chunking, forget }: AnswerOptions,
): Promise<Omit<SearchResponse, 'searchMs'>> {
  const { results, belowMinScore } = placeHits(hits, request, {
    ...settings.limits,
    maxResults: request.maxResults ?? settings.limits.maxResults,
    collections: settings.collections(),
    workspaceDir: realOrGiven(settings.workspaceDir),
    citations,
    chunking,
    forgotten: await readForgotten(forget),
  });
  return {
    query: request.query,
    mode: MODES[modeFor(request, settings)],
    backend: 'ext',
    provider: null,
    model: null,
    results,
    matches: hits.length,
    belowMinScore,
    warnings: requestWarnings(request, settings),
  };
}

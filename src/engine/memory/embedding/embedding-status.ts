import type { AdapterId, ResolvedMemorySearch } from '../../config/index.js';
import { type CredentialView, credentialView } from '../../embeddings/credential-view.js';
import { expectedDifferences, expectedIdentity } from '../../embeddings/expected-identity.js';
import type { ProviderChoice } from '../../embeddings/index.js';
import { type MediaObstacle, mediaObstacle } from '../../embeddings/media-support.js';
import { shownModel } from '../../embeddings/shown-model.js';
import { type ChoiceReason, whyChosen } from '../../embeddings/why-chosen.js';
import type { BackendStatus } from '../backends/memory-backend.js';
import type { RefusedMedia } from '../index/media-index.js';
import type { OpenedMemory } from '../open-memory.js';
import type { SearchMode } from '../search/types.js';
import { type VectorCoverage, vectorCoverage } from './vector-coverage.js';

/** A provider as the settings have it, not asked. */
export interface ProviderStatus {
  readonly provider: string;
  readonly adapter: AdapterId;
  /** Null where the vendor's own list decides. */
  readonly model: string | null;
  readonly reason: ChoiceReason;
  readonly credential: CredentialView;
}

/** Who embeds, and how much of the index is embedded; told without asking anybody. */
export interface EmbeddingStatus {
  /** What a search can use now. */
  readonly mode: SearchMode;
  /** Undefined where memory is searched by words alone. */
  readonly primary: ProviderStatus | undefined;
  readonly fallback: ProviderStatus | undefined;
  /** Why there is no provider: it was switched off, or auto-detection found none. */
  readonly missing: 'none_found' | 'switched_off' | undefined;
  readonly coverage: VectorCoverage;
  /** Passages with a vector of the fallback. */
  readonly fallbackDone: number;
  /** Undefined where images and recordings are no part of the memory. */
  readonly media: MediaStatus | undefined;
}

/** Whether images and recordings are found by what they hold. */
export interface MediaStatus {
  /** Why they are found by their names alone; undefined when they are not. */
  readonly obstacle: MediaObstacle | undefined;
  /** Those that the configured provider does not take. */
  readonly refused: readonly RefusedMedia[];
}

/** Reads the settings, the environment and what the index holds; opens no provider. */
export function embeddingStatus(memory: OpenedMemory, status: BackendStatus): EmbeddingStatus {
  const { providers, agent } = memory;
  const settings = agent.memorySearch;
  const describe = (choice: ProviderChoice): ProviderStatus => ({
    provider: choice.provider,
    adapter: choice.adapter,
    model: shownModel(choice, settings),
    reason: whyChosen(choice, settings, memory.world),
    credential: credentialView(choice, settings, memory.world),
  });
  const coverageBy = (choice: ProviderChoice | undefined): VectorCoverage => {
    const expected = choice === undefined ? undefined : expectedIdentity(choice, settings);
    return vectorCoverage(status, (identity) =>
      expected === undefined ? NO_PROVIDER : expectedDifferences(identity, expected),
    );
  };
  const primary = providers?.primary.choice;
  const fallback = providers?.fallback?.choice;
  const coverage = coverageBy(primary);
  const fallbackDone = fallback === undefined ? 0 : coverageBy(fallback).done;
  const byMeaning = primary !== undefined && coverage.done + fallbackDone > 0;
  const mode = settings.query.hybrid.enabled ? 'hybrid' : 'vector';
  return {
    mode: byMeaning ? mode : 'lexical',
    primary: primary === undefined ? undefined : describe(primary),
    fallback: fallback === undefined ? undefined : describe(fallback),
    missing: primary !== undefined ? undefined : whyMissing(settings.provider),
    coverage,
    fallbackDone,
    media: mediaStatus(status, primary, settings),
  };
}

function mediaStatus(
  { media }: BackendStatus,
  choice: ProviderChoice | undefined,
  settings: ResolvedMemorySearch,
): MediaStatus | undefined {
  if (media === undefined) return undefined;
  const obstacle = mediaObstacle(choice, settings);
  if (choice === undefined || obstacle !== undefined) return { obstacle, refused: [] };
  const expected = expectedIdentity(choice, settings);
  const refused = media.refused.filter(
    ({ identity }) => expectedDifferences(identity, expected).length === 0,
  );
  return { obstacle, refused };
}

const NO_PROVIDER = ['no provider is chosen'] as const;

function whyMissing(provider: string): EmbeddingStatus['missing'] {
  return provider === 'none' ? 'switched_off' : 'none_found';
}

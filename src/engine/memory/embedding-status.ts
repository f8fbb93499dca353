import type { ResolvedMemorySearch } from '../config/index.js';
import {
  credentialView,
  mediaObstacle,
  shownModel,
  whyChosen,
} from '../embeddings/describe-provider.js';
import { expectedDifferences, expectedIdentity } from '../embeddings/identity.js';
import type { ProviderChoice } from '../embeddings/index.js';
import { iso } from '../support/time.js';
import type { BackendStatus } from './backends/memory-backend.js';
import type { StatusOutput } from './backends/output-schemas.js';
import type { OpenedMemory } from './open-memory.js';
import type { SearchMode } from './search/index.js';
import { isBeingEmbedded } from './sync/index-lock.js';

/** A provider according to the settings, without a request. */
export type ProviderStatus = ReturnType<typeof providerStatus>;

function providerStatus(choice: ProviderChoice, { agent, world }: OpenedMemory) {
  const settings = agent.memorySearch;
  return {
    provider: choice.provider,
    adapter: choice.adapter,
    /** Null when the vendor chooses. */
    model: shownModel(choice, settings),
    reason: whyChosen(choice, settings, world),
    credential: credentialView(choice, settings, world),
  };
}

/** The providers and the embedding coverage, determined without any request. */
export type EmbeddingStatus = ReturnType<typeof embeddingStatus>;

/** Reads the settings, the environment and the index; opens no provider. */
export function embeddingStatus(memory: OpenedMemory, status: BackendStatus) {
  const { providers, agent } = memory;
  const settings = agent.memorySearch;
  const primary = providers?.primary.choice;
  const fallback = providers?.fallback?.choice;
  const ofPrimary = differencesFrom(primary, settings);
  const ofFallback = differencesFrom(fallback, settings);
  const coverage = vectorCoverage(status, ofPrimary, ofFallback);
  const jobs = status.vectors?.batchJobs ?? [];
  const fallbackDone = vectorCoverage(status, ofFallback, ofPrimary).done;
  const byMeaning = primary !== undefined && coverage.done + fallbackDone > 0;
  const usable: SearchMode = settings.query.hybrid.enabled ? 'hybrid' : 'vector';
  /** What a search can use now. */
  const mode: SearchMode = byMeaning ? usable : 'lexical';
  return {
    mode,
    /** Undefined with keyword search only. */
    primary: primary && providerStatus(primary, memory),
    fallback: fallback && providerStatus(fallback, memory),
    missing: primary === undefined ? whyMissing(settings.provider) : undefined,
    coverage,
    /** Whether a process of this host is adding what is missing. */
    isBeingEmbedded: coverage.state !== 'whole' && isBeingEmbedded(status.indexFile),
    /** Passages with a vector from the fallback. */
    fallbackDone,
    batchJobs: jobs.flatMap(({ identity, createdMs }) =>
      ofPrimary(identity).length === 0 ? [iso(createdMs)] : [],
    ),
    /** Batch jobs that only the provider and model before a change of settings would collect. */
    otherJobs: jobs.filter(
      ({ identity }) => ofPrimary(identity).length > 0 && ofFallback(identity).length > 0,
    ).length,
    /** Whether media can be found by their content; null when they are not part of the memory. */
    media: mediaStatus(memory, status, ofPrimary),
  };
}

function mediaStatus(
  { agent, providers, sources }: OpenedMemory,
  { refusedMedia }: BackendStatus,
  differencesOf: DifferencesOf,
): StatusOutput['media'] {
  const { media } = sources.memory;
  if (media === undefined) return null;
  const unavailable = mediaObstacle(providers?.primary.choice, agent.memorySearch) ?? null;
  const refused = refusedMedia.flatMap(({ identity, ...file }) =>
    unavailable === null && differencesOf(identity).length === 0 ? [file] : [],
  );
  const { modalities, maxFileBytes } = media;
  return { modalities: [...modalities], maxFileBytes, unavailable, refused };
}

const NO_PROVIDER = ['no provider is configured'] as const;

/** How a stored identity differs from a provider's. */
export type DifferencesOf = (identity: string) => readonly string[];

/** According to the settings: the provider is not opened. */
export function differencesFrom(
  choice: ProviderChoice | undefined,
  settings: ResolvedMemorySearch,
): DifferencesOf {
  if (choice === undefined) return () => NO_PROVIDER;
  const expected = expectedIdentity(choice, settings);
  return (identity) => expectedDifferences(identity, expected);
}

/** Why there is no provider. */
function whyMissing(provider: string): 'none_found' | 'switched_off' {
  return provider === 'none' ? 'switched_off' : 'none_found';
}

/** How much of an index has vectors. */
export interface VectorCoverage
  extends Pick<
    StatusOutput['vectorStore'],
    'cached' | 'differences' | 'dimensions' | 'refused' | 'state'
  > {
  /** Passages with a vector of the configured identity. */
  readonly done: number;
  readonly all: number;
}

/**
 * Compares the vectors of an index with the configured identity.
 *
 * @param besides of the provider that may have vectors, too: they are not of other settings
 */
export function vectorCoverage(
  { index, vectors, refusedMedia }: Pick<BackendStatus, 'index' | 'refusedMedia' | 'vectors'>,
  differencesOf: DifferencesOf,
  besides: DifferencesOf,
): VectorCoverage {
  const all = index.state === 'ready' ? index.statistics.chunks : 0;
  const spaces = (vectors?.spaces ?? []).toSorted((a, b) => b.chunks - a.chunks);
  const inUse = spaces.filter((space) => space.inUse);
  const own = inUse.find(({ identity }) => differencesOf(identity).length === 0);
  const isWhole = own !== undefined && own.chunks + own.refused >= all;
  // Until then, vectors of other identities may answer instead.
  const isCached = (space: (typeof spaces)[number]): boolean =>
    !space.inUse || (isWhole && space !== own && besides(space.identity).length > 0);
  const cached = spaces.reduce((sum, space) => {
    return sum + space.cached + (isCached(space) ? space.chunks : 0);
  }, 0);
  if (own !== undefined) {
    const { dimensions, chunks, refused } = own;
    const state = isWhole ? 'whole' : 'partial';
    const done = Math.min(chunks, all);
    return { state, dimensions, done, all, refused, cached, differences: [] };
  }
  // If the provider has not embedded anything yet, no space records what it refused.
  const refused = refusedMedia.filter(
    ({ identity }) => differencesOf(identity).length === 0,
  ).length;
  if (inUse.length === 0 && refused > 0) {
    const state = refused < all ? 'partial' : 'whole';
    return { state, dimensions: null, done: 0, all, refused, cached, differences: [] };
  }
  const other = inUse.find(({ identity }) => besides(identity).length > 0);
  const differences = other === undefined ? [] : differencesOf(other.identity);
  const state = other === undefined ? 'empty' : 'other';
  const dimensions = other?.dimensions ?? null;
  return { state, dimensions, done: 0, all, refused: 0, cached, differences };
}

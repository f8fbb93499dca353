import type { Warning } from '../../errors/index.js';
import type { EmbeddingSummary, SyncSummary } from '../sync/events.js';

/** What a person has to be told of a sync's embedding, besides a failure. */
export function embeddingWarnings({ embedding }: SyncSummary): readonly Warning[] {
  if (embedding === undefined) return [];
  return [...fallbackWarning(embedding), ...refusedWarning(embedding), ...mediaWarning(embedding)];
}

function fallbackWarning({ provider, insteadOf, failure }: EmbeddingSummary): readonly Warning[] {
  if (insteadOf === undefined) return [];
  const { message, hint } = insteadOf.failure;
  const what =
    failure === undefined ? `${provider} embedded instead` : `its fallback ${provider} fails too`;
  const mend = hint === undefined ? {} : { hint };
  return [{ code: 'PROVIDER_FALLBACK', message: `${what}: ${message}`, ...mend }];
}

/** Passages that a provider does not take, with its words on the first of them. */
export function refusedWarning({
  provider,
  refused,
  refusal,
}: EmbeddingSummary): readonly Warning[] {
  if (refused === 0) return [];
  const why = refusal === undefined ? '' : `: ${refusal}`;
  return [
    {
      code: 'EMBEDDING_FAILED',
      message: `${provider} does not take ${refused} of the passages${why}`,
    },
  ];
}

/** Media that the model cannot embed. */
function mediaWarning({ mediaLeft }: EmbeddingSummary): readonly Warning[] {
  if (mediaLeft === undefined) return [];
  const { files, why, mend } = mediaLeft;
  const message = `${files} images and recordings are found by their names alone: ${why}`;
  return [{ code: 'MEDIA_UNAVAILABLE', message, hint: mend }];
}

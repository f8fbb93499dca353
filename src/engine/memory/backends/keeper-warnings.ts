import { SvcError, type Warning } from '../../errors/index.js';
import { refusedWarning } from '../embedding/embedding-warnings.js';
import type { SyncSummary } from '../sync/events.js';
import { isFaultySkip } from '../types.js';

/** Passages that only words find so far. */
export function pendingWarning(missing: number): Warning {
  return {
    code: 'EMBEDDINGS_PENDING',
    message: `${missing} passages have no vector yet and are found by their words alone`,
    hint: 'svc memory index embeds them',
  };
}

/** What came of embedding on the way; a provider that failed is spoken of by the search itself. */
export function embeddingWarnings({ embedding }: SyncSummary): Warning[] {
  if (embedding === undefined) return [];
  const { pending } = embedding;
  return [...(pending > 0 ? [pendingWarning(pending)] : []), ...refusedWarning(embedding)];
}

const SKIPS_NAMED = 3;

/** Files that a sync could not take in, a few of them by name. */
export function skipWarnings(summary: SyncSummary): Warning[] {
  const skipped = summary.skipped.filter(isFaultySkip);
  if (skipped.length === 0) return [];
  const named = skipped.slice(0, SKIPS_NAMED).map(({ path, reason, detail }) => {
    const why = reason.replaceAll('_', ' ');
    return `${path} (${detail === undefined ? why : `${why}: ${detail}`})`;
  });
  const more = skipped.length > SKIPS_NAMED ? ` and ${skipped.length - SKIPS_NAMED} more` : '';
  return [
    {
      code: 'FILES_SKIPPED',
      message: `not indexed: ${named.join(', ')}${more}`,
      hint: 'svc memory status lists them',
    },
  ];
}

/** The warning for a failed update when an older index can still answer; undefined for the rest. */
export function staleWarning(error: unknown): Warning | undefined {
  if (!(error instanceof SvcError)) return undefined;
  const hint = error.hint === undefined ? {} : { hint: error.hint };
  switch (error.code) {
    case 'INDEX_LOCKED':
      return {
        code: 'INDEX_BUSY',
        message: 'another process is updating the index; this answer may miss the newest changes',
      };
    case 'INDEX_DISK_FULL':
    case 'INDEX_UNWRITABLE':
      return {
        code: 'INDEX_STALE',
        message: `the index could not be updated, this answer may be out of date: ${error.message}`,
        ...hint,
      };
    default:
      return undefined;
  }
}

import { withCurrentDreams } from '../../engine/dreaming/current-dreams.js';
import type { DreamTarget } from '../../engine/dreaming/dream-targets.js';
import { requireClaim } from '../../engine/dreaming/find-claim.js';
import type { RecallEntry } from '../../engine/dreaming/scoring/recall-entry.js';

/**
 * The claim that a person decides on, as dreaming knows it now.
 *
 * @param wanted its key, the beginning of one, or its very words
 * @throws SvcError DREAM_CLAIM_UNKNOWN, and what opening the dreams throws
 */
export function claimToDecide(
  target: DreamTarget,
  wanted: string,
  signal: AbortSignal,
): Promise<RecallEntry> {
  return withCurrentDreams(target, signal, (dreams) => requireClaim(dreams?.entries, wanted));
}

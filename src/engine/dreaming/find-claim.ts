import { SvcError } from '../errors/index.js';
import { claimKeyOf, isClaimKey, jaccard, stemsOf } from './claims/claim-words.js';
import type { RecallEntry } from './scoring/recall-entry.js';
import type { RecallEntries } from './store/recall-entries.js';

const LEAST_PREFIX = 4;
const PREFIX = /^[0-9a-f]+$/u;
/** A text this unlike every claim means none of them. */
const LEAST_ALIKE = 0.34;

/**
 * The claim that a person means: by its key, the beginning of one, its text, or the text most like it.
 *
 * @throws SvcError DREAM_CLAIM_UNKNOWN
 */
export function findClaim(entries: RecallEntries, wanted: string): RecallEntry {
  const exact = entries.get(isClaimKey(wanted) ? wanted : claimKeyOf(wanted));
  if (exact !== undefined) return exact;
  const all = entries.since(0);
  const found = byPrefix(all, wanted) ?? byLikeness(all, wanted);
  if (found !== undefined) return found;
  throw new SvcError('DREAM_CLAIM_UNKNOWN', `dreaming knows no claim ${JSON.stringify(wanted)}`, {
    hint: 'see "svc dream candidates" and "svc dream signals" for the keys there are',
  });
}

function byPrefix(all: readonly RecallEntry[], wanted: string): RecallEntry | undefined {
  if (wanted.length < LEAST_PREFIX || !PREFIX.test(wanted)) return undefined;
  const matching = all.filter(({ key }) => key.startsWith(wanted));
  return matching.length === 1 ? matching[0] : undefined;
}

function byLikeness(all: readonly RecallEntry[], wanted: string): RecallEntry | undefined {
  const stems = stemsOf(wanted);
  let best = LEAST_ALIKE;
  let found: RecallEntry | undefined;
  for (const entry of all) {
    const alike = jaccard(stems, stemsOf(entry.text));
    if (alike > best) [best, found] = [alike, entry];
  }
  return found;
}

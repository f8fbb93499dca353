import { SvcError } from '../errors/index.js';
import { claimKeyOf, isClaimKey, jaccard, lossFraction, stemsOf } from './claims/claim-words.js';
import type { RecallEntry } from './scoring/recall-entry.js';
import type { RecallEntries } from './store/recall-entries.js';

const LEAST_PREFIX = 4;
const PREFIX = /^[0-9a-f]+$/u;
/** A text this unlike every claim means none of them. */
const LEAST_ALIKE = 0.34;

/**
 * The claim that a person asks about: by its key, the beginning of one, its text, or the text most like it.
 *
 * @param entries undefined where dreaming knows nothing yet
 * @throws SvcError DREAM_CLAIM_UNKNOWN
 */
export function findClaim(entries: RecallEntries | undefined, wanted: string): RecallEntry {
  const all = entries?.since(0) ?? [];
  const found = namedClaim(entries, all, wanted) ?? byLikeness(all, wanted);
  if (found === undefined) throw unknown(wanted);
  return found;
}

/**
 * The claim that a person decides on: by its key, the beginning of one, or its very words. A text that is
 * only alike is refused: what is decided is meant.
 *
 * @param entries undefined where dreaming knows nothing yet
 * @throws SvcError DREAM_CLAIM_UNKNOWN
 */
export function requireClaim(entries: RecallEntries | undefined, wanted: string): RecallEntry {
  const found = namedClaim(entries, entries?.since(0) ?? [], wanted);
  if (found === undefined) throw unknown(wanted);
  return found;
}

function namedClaim(
  entries: RecallEntries | undefined,
  all: readonly RecallEntry[],
  wanted: string,
): RecallEntry | undefined {
  return entries?.get(isClaimKey(wanted) ? wanted : claimKeyOf(wanted)) ?? byPrefix(all, wanted);
}

function unknown(wanted: string): SvcError {
  return new SvcError('DREAM_CLAIM_UNKNOWN', `dreaming knows no claim ${JSON.stringify(wanted)}`, {
    hint: 'svc dream candidates and svc dream signals show those there are',
  });
}

function byPrefix(all: readonly RecallEntry[], wanted: string): RecallEntry | undefined {
  if (wanted.length < LEAST_PREFIX || !PREFIX.test(wanted)) return undefined;
  const matching = all.filter(({ key }) => key.startsWith(wanted));
  return matching.length === 1 ? matching[0] : undefined;
}

/** The claim most like a text; one that has all of its words goes before one that is as long. */
function byLikeness(all: readonly RecallEntry[], wanted: string): RecallEntry | undefined {
  const stems = stemsOf(wanted);
  if (stems.size === 0) return undefined;
  let best = LEAST_ALIKE;
  let found: RecallEntry | undefined;
  for (const entry of all) {
    const said = stemsOf(entry.text);
    const alike = jaccard(stems, said) + (lossFraction(stems, said) === 0 ? 1 : 0);
    if (alike > best) [best, found] = [alike, entry];
  }
  return found;
}

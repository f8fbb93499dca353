import { SvcError } from '../errors/index.js';
import { claimKeyOf, isClaimKey, jaccard, lossFraction, stemsOf } from './claims/claim-words.js';
import type { RecallEntry } from './scoring/recall-entry.js';
import type { RecallEntries } from './store/recall-entries.js';
import type { SweepRecord, SweepRecords } from './store/sweep-records.js';

const LEAST_PREFIX = 4;
const KEY_PREFIX = /^[0-9a-f]+$/u;
/** A text less similar than this does not match a claim. */
const LEAST_ALIKE = 0.34;

/**
 * Finds a claim by its key, a unique key prefix, its text, or the most similar text.
 *
 * @param entries undefined if nothing is recorded yet
 * @throws SvcError DREAM_CLAIM_UNKNOWN
 */
export function findClaim(entries: RecallEntries | undefined, wanted: string): RecallEntry {
  const all = entries?.since(0) ?? [];
  const found = namedClaim(entries, all, wanted) ?? byLikeness(all, wanted);
  if (found === undefined) throw unknown(wanted);
  return found;
}

/** Finds a claim like findClaim, but never a merely similar one: a decision needs an exact match. */
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
  return new SvcError('DREAM_CLAIM_UNKNOWN', `unknown claim ${JSON.stringify(wanted)}`, {
    hint: 'run "svc dream candidates" or "svc dream signals" to see known claims',
  });
}

function byPrefix(all: readonly RecallEntry[], wanted: string): RecallEntry | undefined {
  if (wanted.length < LEAST_PREFIX || !KEY_PREFIX.test(wanted)) return undefined;
  const matching = all.filter(({ key }) => key.startsWith(wanted));
  return matching.length === 1 ? matching[0] : undefined;
}

/** A claim with all the words of a text wins over one that is only similar. */
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

/** Finds a sweep by its ID; by default, the last one. @throws SvcError DREAM_SWEEP_UNKNOWN */
export function findSweep(
  sweeps: Pick<SweepRecords, 'get' | 'list'> | undefined,
  id: string | undefined,
): SweepRecord {
  const found = id === undefined ? sweeps?.list(1)[0] : sweeps?.get(id);
  if (found !== undefined) return found;
  const what = id === undefined ? 'no sweep has run yet' : `unknown sweep ${id}`;
  throw new SvcError('DREAM_SWEEP_UNKNOWN', what, {
    hint: 'run "svc dream list" to see all sweeps',
  });
}

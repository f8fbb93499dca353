import {
  type ClaimKey,
  claimKeyOf,
  jaccard,
  lossFraction,
  stemsOf,
} from '../claims/claim-words.js';
import { splitClaims } from '../claims/split-claims.js';
import { handWritten, type PromotedEntry, promotedEntries } from './memory-file.js';

/** What long-term memory says already, in the form that new claims are compared with. */
export interface KnownMemory {
  readonly byHand: readonly ReadonlySet<string>[];
  readonly promoted: readonly {
    readonly entry: PromotedEntry;
    readonly stems: ReadonlySet<string>;
  }[];
}

/** How a claim stands to what is known. */
export type Comparison =
  | { readonly verdict: 'new' }
  /** Its own entry stands there already. */
  | { readonly verdict: 'present' }
  /** All of it is said already, by hand or by an entry. */
  | { readonly verdict: 'said' }
  /** It says anew, or more, what an entry of dreaming's says. */
  | { readonly verdict: 'renews'; readonly prior: ClaimKey };

/** Two claims as alike as this say the same, unless a figure differs. */
const SAME = 0.9;

/** Reads `MEMORY.md` for comparisons. */
export function knownMemory(text: string): KnownMemory {
  return {
    byHand: splitClaims(handWritten(text)).map((claim) => stemsOf(claim.text)),
    promoted: promotedEntries(text).map((entry) => ({ entry, stems: stemsOf(entry.text) })),
  };
}

/**
 * Compares a claim with long-term memory.
 *
 * @param mostLoss part of an entry's words that renewing it may lose (`maxPriorEntryLossFraction`)
 */
export function compareClaim(text: string, known: KnownMemory, mostLoss: number): Comparison {
  const key = claimKeyOf(text);
  if (known.promoted.some(({ entry }) => entry.key === key)) return { verdict: 'present' };
  const stems = stemsOf(text);
  const all = [...known.byHand, ...known.promoted.map((promoted) => promoted.stems)];
  if (all.some((said) => saysAll(said, stems))) return { verdict: 'said' };
  const prior = known.promoted.find(({ stems: said }) => renews(stems, said, mostLoss));
  return prior === undefined ? { verdict: 'new' } : { verdict: 'renews', prior: prior.entry.key };
}

const FIGURE = /\p{N}/u;

/** Whether all of a claim is in another; a figure that is not there is always news. */
function saysAll(said: ReadonlySet<string>, stems: ReadonlySet<string>): boolean {
  if (lossFraction(stems, said) === 0) return true;
  return jaccard(stems, said) >= SAME && missing(stems, said).every((stem) => !FIGURE.test(stem));
}

/**
 * Whether a claim says the same with other figures, and perhaps more. A lost word may be what the entry is
 * about: a port of another service is another fact, not a newer one.
 */
function renews(stems: ReadonlySet<string>, said: ReadonlySet<string>, mostLoss: number): boolean {
  const lost = missing(said, stems);
  const isSmall = lost.length > 0 && lost.length / said.size <= mostLoss;
  return isSmall && lost.every((stem) => FIGURE.test(stem));
}

function missing(from: ReadonlySet<string>, other: ReadonlySet<string>): string[] {
  return [...from].filter((stem) => !other.has(stem));
}

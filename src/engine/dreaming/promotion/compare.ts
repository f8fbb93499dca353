import { splitClaims } from '../../memory/chunking/split-claims.js';
import {
  type ClaimKey,
  claimKeyOf,
  jaccard,
  lossFraction,
  stemsOf,
} from '../claims/claim-words.js';
import { gistOf } from '../claims/gist.js';
import { relate } from '../claims/relate.js';
import { handWritten, promotedEntries } from './memory-file.js';

/** A statement prepared for comparison. */
type KnownStatement = ReturnType<typeof knownStatement>;

/** The statements already in `MEMORY.md`. */
export type KnownMemory = ReturnType<typeof knownMemory>;

/**
 * How a claim relates to `MEMORY.md`: it has an entry (`present`), handwritten text or another entry already covers
 * all of it (`said`), or it updates an entry (`renews`).
 */
export const VERDICTS = ['new', 'present', 'said', 'renews'] as const;
export type Comparison =
  | { readonly verdict: Exclude<(typeof VERDICTS)[number], 'renews'> }
  | { readonly verdict: 'renews'; readonly prior: ClaimKey };

/** Claims at least this similar say the same, unless a number differs. */
const SAME = 0.9;

/** Reads the statements in `MEMORY.md`. */
export function knownMemory(text: string) {
  return {
    byHand: splitClaims(handWritten(text)).flatMap((claim) => {
      const whole = knownStatement(claim.text);
      // One sentence may deny something that another one says.
      return whole.gist.denies ? [whole, ...sentencesOf(claim.text).map(knownStatement)] : [whole];
    }),
    promoted: promotedEntries(text).map((entry) => ({ entry, ...knownStatement(entry.text) })),
  };
}

function sentencesOf(text: string): readonly string[] {
  return text.split(/(?<=[.!?…;:])\s+/u);
}

/** Prepares a statement for comparison. */
export function knownStatement(text: string) {
  return { stems: stemsOf(text), gist: gistOf(text) };
}

/** @param mostLoss share of an entry's words that an update may drop (`maxPriorEntryLossFraction`) */
export function compareClaim(text: string, known: KnownMemory, mostLoss: number): Comparison {
  if (hasEntry(text, known)) return { verdict: 'present' };
  const claim = knownStatement(text);
  if (isCovered(claim, known)) return { verdict: 'said' };
  const prior =
    known.promoted.find(({ gist }) => relate(claim.gist, gist) === 'updates') ??
    known.promoted.find((entry) => renews(claim, entry, mostLoss));
  return prior === undefined ? { verdict: 'new' } : { verdict: 'renews', prior: prior.entry.key };
}

/** Whether `MEMORY.md` has an entry of a claim, or other text covers all of it. */
export function contains(known: KnownMemory, text: string): boolean {
  return hasEntry(text, known) || isCovered(knownStatement(text), known);
}

function hasEntry(text: string, known: KnownMemory): boolean {
  const key = claimKeyOf(text);
  return known.promoted.some(({ entry }) => entry.key === key);
}

function isCovered(claim: KnownStatement, known: KnownMemory): boolean {
  return [...known.byHand, ...known.promoted].some(
    (statement) =>
      (statement.gist.denies === claim.gist.denies && containsAll(statement.stems, claim.stems)) ||
      relate(claim.gist, statement.gist) === 'same',
  );
}

const DIGIT = /\p{N}/u;

/** Whether a statement contains all of a claim; a new number is always new information. */
function containsAll(other: ReadonlySet<string>, stems: ReadonlySet<string>): boolean {
  if (lossFraction(stems, other) === 0) return true;
  return jaccard(stems, other) >= SAME && missing(stems, other).every((stem) => !DIGIT.test(stem));
}

/**
 * Whether a claim repeats a statement with other numbers, and perhaps adds to it. It must not drop what may be the
 * subject: another service's port is another fact, not a newer one, and so is the room of server 2.
 */
function renews(claim: KnownStatement, statement: KnownStatement, mostLoss: number): boolean {
  const lost = missing(statement.stems, claim.stems);
  const isSmall = lost.length > 0 && lost.length / statement.stems.size <= mostLoss;
  return isSmall && lost.every((stem) => DIGIT.test(stem) && !statement.gist.subject.has(stem));
}

function missing(from: ReadonlySet<string>, other: ReadonlySet<string>): string[] {
  return [...from].filter((stem) => !other.has(stem));
}

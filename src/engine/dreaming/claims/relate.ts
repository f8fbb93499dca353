import { stemOf } from '../../memory/search/index.js';
import { countShared } from './claim-words.js';
import type { Gist } from './gist.js';
import { FREQUENCIES, SHARED_ATTRIBUTES } from './gist-words.js';

/** How a claim relates to an older one. */
export type Relation =
  /** The same statement in other words. */
  | 'same'
  /** A different statement about the same subject, so the older one is obsolete. */
  | 'updates'
  | 'other';

const FREQUENCY_STEMS = new Set([...FREQUENCIES].map((word) => stemOf(word)));

/** Compares a claim with an older one, or with one of unknown age. */
export function relate(newer: Gist, older: Gist): Relation {
  if (!newer.isPresent || !older.isPresent) return 'other';
  const a = withSubjects(newer, older.subject);
  const b = withSubjects(older, newer.subject);
  const shared = countShared(a.subject, b.subject);
  const { agreeing, conflicting } = compareValues(a.values, b.values);
  if (!mayBeRelated(a, b, shared, conflicting > 0)) return 'other';
  const union = a.subject.size + b.subject.size - shared;
  const isInside = shared === a.subject.size || shared === b.subject.size;
  const overlap: Overlap = { shared, union, isInside, agreeing };
  if (endsOlder(a, b)) {
    // Another subject may have dropped the same thing: the importer's bundler is not the frontend's.
    // "We moved from Lisbon to Porto" has no subject, but names what it ends.
    const isOurs = union === 0 && b.attributes.size > 0;
    return (shared > 0 && isInside) || isOurs ? 'updates' : 'other';
  }
  if (conflicting > 0) {
    // Both may be true: "also listens on", "on Mondays at Acme" and "on Tuesdays at Globex".
    const canBothBeTrue = a.adds || b.adds || (conflicting > 1 && agreeing === 0 && !a.changes);
    return !canBothBeTrue && contradicts(overlap, a, b) ? 'updates' : 'other';
  }
  return saysSame(overlap, a, b) ? 'same' : 'other';
}

/**
 * Whether {@link relate} can say anything but `other`.
 *
 * @param shared how many stems are in both subjects
 * @param isInConflict whether there is a kind of value that both have, and none of it in common
 */
export function mayBeRelated(a: Gist, b: Gist, shared: number, isInConflict: boolean): boolean {
  const [one, other] = [a.subject.size, b.subject.size];
  if (shared === one || shared === other) return true;
  return !isInConflict && shared / (one + other - shared) >= MOSTLY;
}

/** Whether a claim states that an older one is no longer true. */
function endsOlder(newer: Gist, older: Gist): boolean {
  if (newer.former.size === 0) return false;
  const olderStems = [...older.values.values(), older.subject].flatMap((stems) => [...stems]);
  return olderStems.some((stem) => newer.former.has(stem));
}

/** Whether claims with different values have the same subject. */
function contradicts({ shared, union, isInside }: Overlap, a: Gist, b: Gist): boolean {
  const attributes = countShared(a.attributes, b.attributes);
  const isEqual = shared === union;
  const isBare = a.attributes.size === 0 || b.attributes.size === 0;
  const haveSameAttribute =
    attributes > 0 ||
    (a.attributes.size === 0 && b.attributes.size === 0) ||
    (isBare && isEqual && (shared >= 2 || a.changes));
  if (!haveSameAttribute) return false;
  if ([...a.attributes].some((one) => SHARED_ATTRIBUTES.has(one)) && !a.changes) return false;
  if (shared === 0) return isEqual && attributes > 0;
  if (isEqual) return true;
  // "The storage backup" may be short for the nightly one.
  const dropped = [...b.subject].filter((stem) => !a.subject.has(stem));
  const isShort = shared === a.subject.size;
  if (isShort && dropped.every((stem) => FREQUENCY_STEMS.has(stem))) return true;
  return a.changes && isInside;
}

/** How much two claims have in common. */
interface Overlap {
  /** Stems in both subjects, and in either. */
  readonly shared: number;
  readonly union: number;
  /** Whether one subject is a part of the other. */
  readonly isInside: boolean;
  /** Kinds of values that have one in common. */
  readonly agreeing: number;
}

const MOSTLY = 0.5;
const NEARLY_ALL = 0.75;

function saysSame({ shared, union, isInside, agreeing }: Overlap, a: Gist, b: Gist): boolean {
  if (a.denies !== b.denies) return false;
  const attributes = countShared(a.attributes, b.attributes);
  const attributesMatch = attributes > 0 || a.attributes.size === 0 || b.attributes.size === 0;
  if (!attributesMatch) return false;
  if (agreeing > 0) {
    if (shared === 0) return union === 0 && attributes > 0;
    return isInside || !differInOneModifier(a, b);
  }
  if (a.values.size > 0 || b.values.size > 0) return false;
  return shared >= 2 && shared / union >= NEARLY_ALL && !differInOneModifier(a, b);
}

/** Whether the claims differ in one modifier: "billing backups" and "search backups". */
function differInOneModifier(a: Gist, b: Gist): boolean {
  const others = [...b.subject].filter((stem) => !a.subject.has(stem));
  return [...a.subject].some((stem) => {
    if (b.subject.has(stem)) return false;
    const [previous, next] = a.neighbours.get(stem) ?? [];
    return others.some((other) => {
      const [before, after] = b.neighbours.get(other) ?? [];
      return (
        (previous !== undefined && previous === before) || (next !== undefined && next === after)
      );
    });
  });
}

function compareValues(a: Gist['values'], b: Gist['values']) {
  let agreeing = 0;
  let conflicting = 0;
  for (const [kind, values] of a) {
    const others = b.get(kind);
    if (others === undefined) continue;
    if (countShared(values, others) > 0) agreeing += 1;
    else conflicting += 1;
  }
  return { agreeing, conflicting };
}

/** A name that is a value in one claim and the subject of the other counts as a subject in both. */
function withSubjects(gist: Gist, known: ReadonlySet<string>): Gist {
  const moving = gist.named.filter(({ stem }) => known.has(stem));
  if (moving.length === 0) return gist;
  const moved = moving.map(({ value }) => value);
  const left = [...gist.values].map(
    ([kind, stems]) => [kind, new Set([...stems].filter((one) => !moved.includes(one)))] as const,
  );
  const values = new Map(left.filter(([, stems]) => stems.size > 0));
  const named = gist.named.filter((one) => !moving.includes(one));
  return { ...gist, values, named, subject: new Set([...gist.subject, ...moved]) };
}

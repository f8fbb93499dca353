import { STOP_WORDS } from '../../memory/search/stop-words.js';
import { foldedWordsOf, wordsOf } from '../../memory/search/words.js';
import { shortHash } from '../../short-hash.js';

/** A claim's name: the same for the same words, whatever their case, marks and place. 16 hexadecimal digits. */
export type ClaimKey = string & { readonly brand: 'ClaimKey' };

/** Names a claim by its words. */
export function claimKeyOf(text: string): ClaimKey {
  return asClaimKey(shortHash(foldedWordsOf(text).join(' ')));
}

const KEY = /^[0-9a-f]{16}$/u;

/** Whether a text has the form of a claim's key. */
export function isClaimKey(text: string): text is ClaimKey {
  return KEY.test(text);
}

/** Takes a text that was kept as a key for one. @throws TypeError when it is none */
export function asClaimKey(hash: string): ClaimKey {
  if (!isClaimKey(hash)) throw new TypeError(`not a claim key: ${hash}`);
  return hash;
}

/** Times, dates, versions, addresses and amounts: one figure each, not several. */
const FIGURE = /\d+(?:[:.,/-]\d+)*/gu;

/** The stems of a claim that say something, and its figures; of one that has stop words alone, these. */
export function stemsOf(text: string): ReadonlySet<string> {
  const figures = text.match(FIGURE) ?? [];
  const words = wordsOf(text.replaceAll(FIGURE, ' '));
  const topical = words.filter(({ folded }) => !STOP_WORDS.has(folded));
  const said = topical.length + figures.length === 0 ? words : topical;
  return new Set([...said.map(({ stem }) => stem), ...figures]);
}

/** Jaccard index of two sets: what they share of what either has; 1 for two empty ones. */
export function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = countShared(a, b);
  const either = a.size + b.size - shared;
  return either === 0 ? 1 : shared / either;
}

/** The part of one set that is missing from another, 0 to 1. */
export function lossFraction(prior: ReadonlySet<string>, next: ReadonlySet<string>): number {
  return prior.size === 0 ? 0 : 1 - countShared(prior, next) / prior.size;
}

function countShared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [few, many] = a.size <= b.size ? [a, b] : [b, a];
  let shared = 0;
  for (const item of few) if (many.has(item)) shared += 1;
  return shared;
}

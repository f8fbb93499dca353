import * as z from 'zod/mini';
import { foldedWordsOf, STOP_WORDS, wordsOf } from '../../memory/search/index.js';
import { shortHash } from '../../support/text.js';

/** A claim's key, 16 hexadecimal digits: the same words give the same key, whatever their case, punctuation and location. */
export type ClaimKey = string & { readonly brand: 'ClaimKey' };

export function claimKeyOf(text: string): ClaimKey {
  return shortHash(foldedWordsOf(text).join(' ')) as ClaimKey;
}

const KEY = /^[0-9a-f]{16}$/u;

/** Whether a text has the format of a claim key. */
export function isClaimKey(text: string): text is ClaimKey {
  return KEY.test(text);
}

/** A stored claim key. */
export const claimKey = z.custom<ClaimKey>((key) => typeof key === 'string' && isClaimKey(key));

/** A time, date, version, address or amount counts as one number. */
export const NUMBER = /\d+(?:[:.,/-]\d+)*/gu;

/** The stems and numbers of a claim, without stop words unless it has nothing else. */
export function stemsOf(text: string): ReadonlySet<string> {
  const numbers = text.match(NUMBER) ?? [];
  // Next to a long vowel mark, which belongs to no script, the rest of a Japanese sentence would be one word.
  const words = wordsOf(text.replaceAll(NUMBER, ' ').replaceAll(/[ーｰ]/gu, ''));
  const topical = words.filter(({ folded }) => !STOP_WORDS.has(folded));
  const counted = topical.length + numbers.length === 0 ? words : topical;
  return new Set([...counted.map(({ stem }) => stem), ...numbers]);
}

/** Jaccard index of two sets; 1 if both are empty. */
export function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = countShared(a, b);
  const either = a.size + b.size - shared;
  return either === 0 ? 1 : shared / either;
}

/** The share of `prior` that is missing from `next`, 0 to 1. */
export function lossFraction(prior: ReadonlySet<string>, next: ReadonlySet<string>): number {
  return prior.size === 0 ? 0 : 1 - countShared(prior, next) / prior.size;
}

/** How many stems two sets share. */
export function countShared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [few, many] = a.size <= b.size ? [a, b] : [b, a];
  let shared = 0;
  for (const item of few) if (many.has(item)) shared += 1;
  return shared;
}

/** Negations in common European languages. */
const NEGATIONS =
  /\b(?:not|no|never|none|without|cannot|nicht|kein\w*|nie|ohne|pas|jamais|sans|nunca|sin|non|mai|senza)\b|n['’]t\b/giu;

/** How often a text denies something. */
export function countNegations(text: string): number {
  return text.match(NEGATIONS)?.length ?? 0;
}

/** Whatever quotes or emphasizes the question, and the tags after it. */
const QUESTION = /[?？؟](?:[\s!"'”’“»›)\]*_~`]|\p{Extended_Pictographic}\uFE0F?)*(?:\s#[^\s#]+)*$/u;

export function isQuestion(text: string): boolean {
  return QUESTION.test(text);
}

import { type ClaimKey, claimKeyOf, jaccard, stemsOf } from '../claims/claim-words.js';
import type { Claim } from '../claims/split-claims.js';
import type { SourceText } from '../sweep/source-text.js';

/** What became of a claim's place in its note. */
export type Relocation =
  | { readonly state: 'found'; readonly claim: Claim }
  /** The note says something alike now: what was asked for is no longer what stands there. */
  | { readonly state: 'changed'; readonly closest: Claim }
  | { readonly state: 'missing' };

/** As alike as this, two claims are the same one, edited. */
const SAME = 0.6;

/** Finds a claim in what its document says now, wherever its lines moved to. */
export function relocateClaim(
  { claims, quoted }: Pick<SourceText, 'claims' | 'quoted'>,
  claim: { readonly key: ClaimKey; readonly text: string },
): Relocation {
  const found = claims.find(({ text }) => claimKeyOf(text) === claim.key) ?? quoted(claim.text);
  if (found !== undefined) return { state: 'found', claim: found };
  const stems = stemsOf(claim.text);
  let closest: Claim | undefined;
  let best = SAME;
  for (const candidate of claims) {
    const alike = jaccard(stems, stemsOf(candidate.text));
    if (alike >= best) [closest, best] = [candidate, alike];
  }
  return closest === undefined ? { state: 'missing' } : { state: 'changed', closest };
}

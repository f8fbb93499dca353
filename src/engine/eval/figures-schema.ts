import * as z from 'zod/mini';

const share = z.number().check(z.minimum(0), z.maximum(1));

/** The figures of some questions, as they are printed and as a baseline keeps them; see figures.ts. */
export const figuresSchema = z.strictObject({
  recall5: share,
  recall: share,
  mrr: share,
  ndcg: share,
  hit5: share,
  hit: share,
  evidence: z.nullable(share),
  seen: z.nullable(share),
  evidence4k: z.nullable(share),
  none: share,
  characters: z.number().check(z.minimum(0)),
});

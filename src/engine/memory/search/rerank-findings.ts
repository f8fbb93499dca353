import type { Warning } from '../../errors/index.js';
import type { Reranking } from '../../rerank/index.js';
import type { Findings } from './combine-scores.js';
import type { FusedChunk } from './fuse.js';

interface RerankInput {
  readonly query: string;
  readonly reranking: Reranking;
  /** Receives the reason if the order was kept. */
  readonly warnings: Warning[];
  readonly signal: AbortSignal | undefined;
}

/**
 * Reorders the best findings by the reranker. It only decides the order: the best passage gets the best of their
 * scores, and so on, so a score means the same with and without it. Age counts afterwards, as before.
 *
 * Images and recordings keep their places, because a reranker only sees text.
 *
 * @returns undefined where the order was kept
 */
export async function rerankFindings(
  findings: Findings,
  { query, reranking, warnings, signal }: RerankInput,
) {
  const head = findings.fused
    .slice(0, reranking.topN)
    .map((candidate, place) => ({ candidate, place }))
    .filter(({ candidate: { ranked } }) => ranked.chunk.kind !== 'media');
  if (head.length < 2) return undefined;
  const reranker = await reranking.load();
  const texts = head.map(({ candidate }) => textOf(candidate));
  const reranked = await reranker.rerank(query, texts, warnings, signal);
  if (reranked === undefined) return undefined;
  const { scores, report } = reranked;
  const scored = head.map(({ candidate, place }, at) => ({
    candidate,
    place,
    score: scores.get(at),
  }));
  // Stable: equal scores, and those without one, keep their order.
  const ordered = scored.toSorted((a, b) => byRerankScore(a.score, b.score));
  const relevances = head.map(({ candidate }) => candidate.relevance).sort((a, b) => b - a);
  const fused: FusedChunk[] = [...findings.fused];
  for (const [at, { candidate, place, score }] of ordered.entries()) {
    const newPlace = head[at]?.place;
    if (newPlace === undefined) continue;
    const relevance = relevances[at] ?? 0;
    fused[newPlace] = {
      ...candidate,
      relevance,
      score: relevance * candidate.decay,
      ...(score === undefined ? {} : { reranked: { score, placeBefore: place + 1 } }),
    };
  }
  fused.sort((a, b) => b.score - a.score);
  return { findings: { ...findings, fused }, report };
}

/** Best first; what has no score comes last. */
function byRerankScore(a: number | undefined, b: number | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return b - a;
}

/** As passages are embedded: with the headings above them. */
function textOf({ ranked: { chunk } }: FusedChunk): string {
  return [chunk.headingPath.join(' › '), chunk.text].filter((part) => part !== '').join('\n\n');
}

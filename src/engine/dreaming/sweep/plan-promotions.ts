import { type ClaimKey, stemsOf } from '../claims/claim-words.js';
import { trimClaim } from '../claims/trim-claim.js';
import { compareClaim, type KnownMemory, knownMemory } from '../promotion/compare.js';
import { type MemoryEdit, promotedEntries } from '../promotion/memory-file.js';
import type { Provenance } from '../promotion/provenance.js';
import { relocateClaim } from '../promotion/relocate.js';
import type { RecallEntry } from '../scoring/recall-entry.js';
import type { DreamSources } from './dream-sources.js';

/** A claim that passed every gate. */
export interface RankedClaim {
  readonly entry: RecallEntry;
  readonly score: number;
}

/** What is done with a claim that passed every gate, and why. */
export type PromotionDecision = { readonly entry: RecallEntry; readonly score: number } & (
  | { readonly decision: 'promote'; readonly provenance: Provenance }
  | { readonly decision: 'renew'; readonly provenance: Provenance; readonly prior: ClaimKey }
  /** Long-term memory says it already: decided, nothing to write. */
  | { readonly decision: 'said' }
  /** Its note says something else now, or nothing. */
  | { readonly decision: 'skip'; readonly why: 'changed' | 'missing' }
);

/** The edits of one deep phase. */
export interface PromotionPlan {
  readonly decisions: readonly PromotionDecision[];
  readonly edits: readonly MemoryEdit[];
}

/** The rules of a plan. */
export interface PromotionRules {
  readonly sweepId: string;
  readonly limit: number;
  readonly maxSnippetTokens: number;
  readonly maxPriorEntryLossFraction: number;
  /** Better words for claims, where there are any. */
  readonly wordings: ReadonlyMap<ClaimKey, string>;
}

/**
 * `MEMORY.md` is read in every conversation, so what dreaming wrote into it is bounded: beyond this many
 * entries the lowest-scored one makes room for each new one.
 */
export const MOST_PROMOTED = 200;

/**
 * Decides what goes into long-term memory: each claim is looked up in its note once more, and compared
 * with what is there and with what was decided before it.
 *
 * @param ranked claims that passed every gate, the best first
 */
export function planPromotions(
  ranked: readonly RankedClaim[],
  memoryText: string,
  sources: DreamSources,
  rules: PromotionRules,
): PromotionPlan {
  const decisions: PromotionDecision[] = [];
  const edits: MemoryEdit[] = [];
  let known = knownMemory(memoryText);
  let written = 0;
  for (const { entry, score } of ranked) {
    if (written === rules.limit) break;
    const decision = decide({ entry, score }, known, sources, rules);
    decisions.push(decision);
    if (decision.decision !== 'promote' && decision.decision !== 'renew') continue;
    const { provenance } = decision;
    const text = trimClaim(rules.wordings.get(entry.key) ?? entry.text, rules.maxSnippetTokens);
    written += 1;
    const prior = decision.decision === 'renew' ? decision.prior : undefined;
    edits.push(
      prior === undefined
        ? { kind: 'add', entry: provenance, text }
        : { kind: 'replace', prior, entry: provenance, text },
    );
    known = withPromoted(known, prior, provenance, text);
  }
  return { decisions, edits: [...retirements(memoryText, edits), ...edits] };
}

function decide(
  ranked: RankedClaim,
  known: KnownMemory,
  sources: DreamSources,
  rules: PromotionRules,
): PromotionDecision {
  const { entry, score } = ranked;
  const note = sources.read(entry.place);
  if (note === undefined) return { ...ranked, decision: 'skip', why: 'missing' };
  const relocation = relocateClaim(note, entry);
  if (relocation.state !== 'found') return { ...ranked, decision: 'skip', why: relocation.state };
  const comparison = compareClaim(entry.text, known, rules.maxPriorEntryLossFraction);
  if (comparison.verdict === 'present' || comparison.verdict === 'said') {
    return { ...ranked, decision: 'said' };
  }
  const { startLine, endLine } = relocation.claim;
  const provenance: Provenance = {
    key: entry.key,
    sweepId: rules.sweepId,
    path: entry.place.path,
    lines: { startLine, endLine },
    score,
    recalls: entry.recallCount,
  };
  return comparison.verdict === 'renews'
    ? { ...ranked, decision: 'renew', provenance, prior: comparison.prior }
    : { ...ranked, decision: 'promote', provenance };
}

function withPromoted(
  known: KnownMemory,
  prior: ClaimKey | undefined,
  provenance: Provenance,
  text: string,
): KnownMemory {
  const added = { entry: { ...provenance, text, block: '' }, stems: stemsOf(text) };
  const others = known.promoted.filter(({ entry }) => entry.key !== prior);
  return { ...known, promoted: [...others, added] };
}

/** The lowest-scored entries that make room for the new ones. */
function retirements(memoryText: string, edits: readonly MemoryEdit[]): MemoryEdit[] {
  const replaced = new Set(edits.flatMap((edit) => (edit.kind === 'replace' ? [edit.prior] : [])));
  const standing = promotedEntries(memoryText).filter(({ key }) => !replaced.has(key));
  const added = edits.filter(({ kind }) => kind === 'add').length;
  const over = standing.length + replaced.size + added - MOST_PROMOTED;
  return standing
    .sort((a, b) => a.score - b.score || a.recalls - b.recalls)
    .slice(0, Math.max(0, over))
    .map(({ key }) => ({ kind: 'retire', prior: key }));
}

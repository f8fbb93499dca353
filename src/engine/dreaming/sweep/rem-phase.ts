import { inWriteTransaction } from '../../sqlite/database.js';
import { MS_PER_DAY } from '../../support/time.js';
import type { ClaimKey } from '../claims/claim-words.js';
import { junkReason } from '../claims/junk.js';
import {
  averageScore,
  isAsked,
  type RecallEntry,
  signalCount,
  wasOpenAt,
} from '../scoring/recall-entry.js';
import { logShare } from '../scoring/score.js';
import { countHit, type PhaseContext } from './dream-sources.js';

/** The result of the REM phase. */
export type RemResult = ReturnType<typeof remPhase>;

const MOST_TRUTHS = 3;
const LEAST_CONFIDENCE = 0.45;

/**
 * Finds recurring concepts in recent claims, and marks claims that look lasting, with a confidence from 0 to 1
 * (facts §7.5).
 */
export function remPhase(context: PhaseContext) {
  const { database, entries, phases, nowMs, dayStartMs } = context;
  const { limit, lookbackDays, minPatternStrength } = phases.rem;
  return inWriteTransaction(database, () => {
    let considered = 0;
    const counts = new Map<string, number>();
    const likely: { readonly key: ClaimKey; readonly confidence: number }[] = [];
    // Keep only keys in memory: there may be tens of thousands of claims.
    for (const entry of entries.eachSince(nowMs - lookbackDays * MS_PER_DAY)) {
      if (entry.fate === 'rejected' || junkReason(entry.text) !== undefined) continue;
      considered += 1;
      for (const tag of entry.tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
      if (!isAsked(entry) || !wasOpenAt(entry, dayStartMs)) continue;
      const confidence = confidenceOf(entry);
      if (confidence >= LEAST_CONFIDENCE) likely.push({ key: entry.key, confidence });
    }
    likely.sort((a, b) => b.confidence - a.confidence || (a.key < b.key ? -1 : 1));
    const truths = likely.slice(0, MOST_TRUTHS).flatMap(({ key, confidence }) => {
      const entry = entries.get(key);
      return entry === undefined ? [] : [{ entry, confidence }];
    });
    for (const { entry } of truths) countHit(context, entry, 'rem');
    const themes = themesOf(counts, considered, minPatternStrength).slice(0, limit);
    return { considered, themes, truths };
  });
}

/** Recurring concepts: how many claims mention each, and twice their share of all, at most 1. */
function themesOf(counts: ReadonlyMap<string, number>, considered: number, minStrength: number) {
  return [...counts]
    .map(([tag, count]) => ({ tag, count, strength: Math.min(1, (count / considered) * 2) }))
    .filter(({ strength }) => strength >= minStrength)
    .sort((a, b) => b.count - a.count || (a.tag < b.tag ? -1 : 1));
}

/** Combines relevance, frequency, days and concepts (facts §7.5). */
function confidenceOf(entry: RecallEntry): number {
  const often = logShare(signalCount(entry), 6);
  const days = Math.min(1, entry.days.length / 3);
  const concepts = Math.min(1, entry.tags.length / 6);
  return 0.45 * averageScore(entry) + 0.25 * often + 0.2 * days + 0.1 * concepts;
}

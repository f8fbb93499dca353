import type { DreamTarget } from './dream-targets.js';
import type { ClaimExplanation } from './explain-claim.js';
import { claimOutput, iso, placeOutput, signalOutput } from './output.js';
import type { DreamExplainOutput } from './output-schemas.js';
import { type RecallEntry, signalCount } from './scoring/recall-entry.js';
import { distinctAsks, MOST_LIGHT_BOOST, MOST_REM_BOOST, SIGNAL_WEIGHTS } from './scoring/score.js';

type Part = DreamExplainOutput['parts'][number];

/** `svc dream explain --json`: every part of a claim's score, every gate, and how it stands now. */
export function explainOutput(
  target: DreamTarget,
  explanation: ClaimExplanation,
  nowMs: number,
): DreamExplainOutput {
  const { entry, score, gates, passes, relocation, comparison } = explanation;
  const { state } = entry;
  return {
    ...placeOutput(target),
    ...claimOutput(entry),
    ...signalOutput(entry),
    fate: state.fate,
    decidedAt: state.fate === 'open' ? null : iso(state.atMs),
    sweep: state.fate === 'promoted' ? state.sweepId : null,
    tags: entry.tags,
    score: score.score,
    parts: partsOf(explanation, target, nowMs),
    gates,
    passes,
    note: relocation,
    longTermMemory: comparison,
  };
}

function partsOf(
  { entry, score }: ClaimExplanation,
  { settings }: DreamTarget,
  nowMs: number,
): readonly Part[] {
  const { signals, lightBoost, remBoost } = score;
  const why = whyOf(entry, settings.phases.deep.recencyHalfLifeDays, nowMs);
  const signal = (part: keyof typeof SIGNAL_WEIGHTS): Part => {
    const weight = SIGNAL_WEIGHTS[part];
    return { part, value: signals[part], weight, adds: weight * signals[part], why: why[part] };
  };
  const boost = (part: 'light' | 'rem', weight: number, adds: number): Part => {
    const { hits } = entry[part];
    return { part, value: adds / weight, weight, adds, why: `in ${hits} sweeps` };
  };
  return [
    signal('frequency'),
    signal('relevance'),
    signal('diversity'),
    signal('recency'),
    signal('consolidation'),
    signal('conceptual'),
    boost('light', MOST_LIGHT_BOOST, lightBoost),
    boost('rem', MOST_REM_BOOST, remBoost),
  ];
}

const MS_PER_DAY = 86_400_000;

/** The figures behind each signal, for people. */
function whyOf(
  entry: RecallEntry,
  halfLifeDays: number,
  nowMs: number,
): Readonly<Record<keyof typeof SIGNAL_WEIGHTS, string>> {
  const count = signalCount(entry);
  const { recallCount, dailyCount, groundedCount, days, tags, lastSignalMs } = entry;
  const [first = '', last = first] = [days[0], days.at(-1)];
  const ageDays = Math.max(0, nowMs - lastSignalMs) / MS_PER_DAY;
  const average = count === 0 ? 0 : entry.totalScore / count;
  const grounded = groundedCount === 0 ? '' : ` + ${groundedCount} grounded`;
  return {
    frequency: `${recallCount} recalls + ${dailyCount} notes${grounded}`,
    relevance: `mean ${average.toFixed(2)} of ${count} signals, best ${entry.maxScore.toFixed(2)}`,
    diversity: `${distinctAsks(entry)} different questions or days`,
    recency: `last ${ageDays.toFixed(1)} days ago, half-life ${halfLifeDays}`,
    consolidation: days.length < 2 ? `one day` : `${days.length} days, ${first} to ${last}`,
    conceptual: tags.length === 0 ? 'no tags' : tags.join(', '),
  };
}

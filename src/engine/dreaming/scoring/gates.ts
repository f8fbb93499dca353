import { formatCountOf } from '../../support/format.js';
import { MS_PER_DAY } from '../../support/time.js';
import { isPassing } from '../claims/gist-words.js';
import { JUNK_WORDS, junkReason } from '../claims/junk.js';
import type { DreamSettings } from '../sweep/dream-sources.js';
import { isAsked, isShortTermPath, type RecallEntry, signalCount } from './recall-entry.js';
import { distinctAsks, scoreClaim } from './score.js';

/** What a claim has to pass before it is promoted, in this order. */
export const GATES = [
  'short_term',
  'clean',
  'lasting',
  'open',
  'asked',
  'recall_count',
  'unique_queries',
  'age',
  'score',
] as const;

/** Whether a claim passes a gate, and why, in words for `svc dream explain`. */
function result(gate: (typeof GATES)[number], passed: boolean, why: string) {
  return { gate, passed, why };
}

/**
 * Scores a claim and checks every gate (facts §7.4). `asked` is specific to svc: a claim nobody asked for is not
 * useful yet, however often notes repeat it.
 */
export function checkGates(
  entry: RecallEntry,
  settings: DreamSettings['phases']['deep'],
  nowMs: number,
) {
  const score = scoreClaim(entry, nowMs, settings.recencyHalfLifeDays);
  const junk = junkReason(entry.text);
  const signals = signalCount(entry);
  const asks = distinctAsks(entry);
  const ageDays = Math.max(0, nowMs - entry.lastSignalMs) / MS_PER_DAY;
  const { source, path, fate } = entry;
  const isShortTerm = isShortTermPath(source, path);
  const passing = isPassing(entry.text);
  const isOpen = fate === 'open';
  const { minRecallCount, minUniqueQueries, maxAgeDays, minScore } = settings;
  const kind = source === 'sessions' ? 'conversation' : 'daily note';
  const gates = [
    result('short_term', isShortTerm, isShortTerm ? `${path} (${kind})` : 'not a daily note'),
    result('clean', junk === undefined, junk === undefined ? 'a statement' : JUNK_WORDS[junk]),
    result('lasting', !passing, passing ? 'an event, a plan or a guess' : 'not tied to one day'),
    result('open', isOpen, isOpen ? 'not decided yet' : `already ${fate}`),
    result('asked', isAsked(entry), askedWords(entry)),
    result(
      'recall_count',
      signals >= minRecallCount,
      `${formatCountOf(signals, 'signal')}, needs ${minRecallCount}`,
    ),
    result(
      'unique_queries',
      asks >= minUniqueQueries,
      `${formatCountOf(asks, 'different question or day', 'different questions or days')}, needs ${minUniqueQueries}`,
    ),
    result(
      'age',
      ageDays <= maxAgeDays,
      `${lastSignalWords(ageDays)}, limit ${formatCountOf(maxAgeDays, 'day')}`,
    ),
    result('score', score.score >= minScore, `score ${score.score.toFixed(3)}, needs ${minScore}`),
  ];
  return { entry, score, gates, passes: gates.every(({ passed }) => passed) };
}

function askedWords({ recallCount, groundedCount }: RecallEntry): string {
  if (recallCount === 0 && groundedCount > 0) return 'asked for by a backfill';
  return recallCount === 1 ? 'recalled once' : `recalled ${recallCount} times`;
}

/** When a claim was last recalled or noted. */
export function lastSignalWords(ageDays: number): string {
  return `last signal ${ageDays < 1 ? 'today' : `${ageDays.toFixed(1)} days ago`}`;
}

import { JUNK_WORDS, junkReason } from '../claims/junk.js';
import { type RecallEntry, signalCount } from './recall-entry.js';
import { type ClaimScore, distinctAsks } from './score.js';
import { isShortTermPath } from './short-term-path.js';

/** What a claim has to pass before it is promoted, in this order. */
export type GateName =
  | 'short_term'
  | 'clean'
  | 'open'
  | 'asked'
  | 'recall_count'
  | 'unique_queries'
  | 'age'
  | 'score';

/** How one gate stood to a claim, for `svc dream explain`. */
export interface GateResult {
  readonly gate: GateName;
  readonly passed: boolean;
  /** The figures behind it, for people. */
  readonly why: string;
}

/** `phases.deep`, as far as gates are concerned. */
export interface GateSettings {
  readonly minScore: number;
  readonly minRecallCount: number;
  readonly minUniqueQueries: number;
  readonly maxAgeDays: number;
}

const MS_PER_DAY = 86_400_000;

/**
 * Every gate with its verdict (facts §7.4). `asked` is svc's own: a claim that nobody ever asked for is
 * not useful yet, however often notes repeat it.
 */
export function checkGates(
  entry: RecallEntry,
  score: ClaimScore,
  settings: GateSettings,
  nowMs: number,
): GateResult[] {
  const junk = junkReason(entry.text);
  const signals = signalCount(entry);
  const asks = distinctAsks(entry);
  const ageDays = Math.max(0, nowMs - entry.lastSignalMs) / MS_PER_DAY;
  const { source, path } = entry.place;
  return [
    gate(
      'short_term',
      isShortTermPath(source, path),
      `${path} ${source === 'sessions' ? 'is a conversation' : 'by its name'}`,
    ),
    gate('clean', junk === undefined, junk === undefined ? 'a statement' : JUNK_WORDS[junk]),
    gate(
      'open',
      entry.state.fate === 'open',
      entry.state.fate === 'open' ? 'not decided yet' : `already ${entry.state.fate}`,
    ),
    gate(
      'asked',
      entry.recallCount + entry.groundedCount > 0,
      `recalled ${entry.recallCount === 1 ? 'once' : `${entry.recallCount} times`}`,
    ),
    gate(
      'recall_count',
      signals >= settings.minRecallCount,
      `${signals} signals of ${settings.minRecallCount}`,
    ),
    gate(
      'unique_queries',
      asks >= settings.minUniqueQueries,
      `${asks} questions or days of ${settings.minUniqueQueries}`,
    ),
    gate(
      'age',
      ageDays <= settings.maxAgeDays,
      `${ageWords(ageDays)}, at most ${settings.maxAgeDays} days ago`,
    ),
    gate(
      'score',
      score.score >= settings.minScore,
      `${score.score.toFixed(3)} of ${settings.minScore}`,
    ),
  ];
}

function gate(name: GateName, passed: boolean, why: string): GateResult {
  return { gate: name, passed, why };
}

function ageWords(days: number): string {
  return days < 1 ? 'last signal today' : `last signal ${days.toFixed(1)} days ago`;
}

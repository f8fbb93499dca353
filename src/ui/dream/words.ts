import type {
  DecisionOutput,
  DreamCandidatesOutput,
  DreamExplainOutput,
  EvaluationOutput,
  SweepOutput,
  SweepSummaryOutput,
} from '../../engine/dreaming/index.js';
import type { LineRange } from '../../engine/memory/index.js';
import { isFaultySkip, skipWords } from '../../engine/memory/skip-words.js';
import { formatCount, formatCountOf } from '../../engine/support/format.js';
import { lineAnchor } from '../memory/words.js';
import { safeLine } from '../safe-text.js';

type Signals = DreamCandidatesOutput['candidates'][number]['signals'];
type GateName = DreamExplainOutput['gates'][number]['gate'];

/** The six signals in display order. */
export const SIGNAL_NAMES = [
  'frequency',
  'relevance',
  'diversity',
  'recency',
  'consolidation',
  'conceptual',
] as const satisfies readonly (keyof Signals)[];

const LEVELS = '▁▂▃▄▅▆▇█';

/** One bar per signal: `▇▅▃█▁▄`. */
export function signalBars(signals: Signals): string {
  return SIGNAL_NAMES.map((name) => {
    const level = Math.round(Math.min(1, Math.max(0, signals[name])) * (LEVELS.length - 1));
    return LEVELS[level];
  }).join('');
}

export const GATE_WORDS: Readonly<Record<GateName, string>> = {
  short_term: 'in short-term memory',
  clean: 'a clean statement',
  lasting: 'lasting',
  open: 'open',
  asked: 'recalled',
  recall_count: 'enough signals',
  unique_queries: 'enough questions or days',
  age: 'recent enough',
  score: 'score',
};

export const NOTE_WORDS: Readonly<Record<DreamExplainOutput['note'], string>> = {
  found: 'still in its note',
  changed: 'changed in its note',
  missing: 'no longer in its note',
  superseded: 'contradicted by a later note',
};

/** How a sweep changes the results of searches: "searches for 4 recalled facts: MRR 0.80 → 0.95, hit@5 0.75 → 1.00". */
export function evaluationWords({ questions, before, after }: EvaluationOutput): string {
  const what = `searches for ${formatCountOf(questions, 'recalled fact')}`;
  if (before === null || after === null) return `${what}: not compared, it took too long`;
  const change = (metric: 'hit5' | 'mrr'): string =>
    `${before[metric].toFixed(2)} → ${after[metric].toFixed(2)}`;
  return `${what}: MRR ${change('mrr')}, hit@5 ${change('hit5')}`;
}

const SKIP_WORDS: Readonly<Record<NonNullable<DecisionOutput['why']>, string>> = {
  ...NOTE_WORDS,
  secret: 'contains a secret',
  full: 'MEMORY.md is full',
};

/** What was done with a claim, or for a dry run, what would be. */
export function decisionWords(
  { decision, why }: Pick<DecisionOutput, 'decision' | 'why'>,
  dryRun = false,
): string {
  const promoted = dryRun ? 'would be promoted' : 'promoted';
  return {
    promote: promoted,
    renew: `${promoted}, replacing an older entry`,
    said: 'already in MEMORY.md',
    skip: why === undefined ? 'skipped' : `skipped: ${SKIP_WORDS[why]}`,
  }[decision];
}

/** Whether a claim is written to `MEMORY.md`, as a new entry or instead of an older one. */
export function isPromotion({ decision }: Pick<DecisionOutput, 'decision'>): boolean {
  return decision === 'promote' || decision === 'renew';
}

/** Location of a claim: `memory/2026-11-18.md#L3`. */
export function placeWords(place: LineRange & { readonly path: string }): string {
  return `${safeLine(place.path)}${lineAnchor(place)}`;
}

/** A prefix of a key that commands accept. */
export function shortKey(key: string): string {
  return key.slice(0, 8);
}

const TRIGGER_WORDS: Readonly<Record<SweepOutput['trigger'], string>> = {
  manual: 'manual',
  schedule: 'scheduled',
  backfill: 'backfill',
  promote: 'manual promotion',
};

export function triggerWords({ trigger }: Pick<SweepOutput, 'trigger'>): string {
  return TRIGGER_WORDS[trigger];
}

/** What happened to `MEMORY.md`: `3 entries written`, `undone`. */
export function memoryWords({
  memory,
  written,
  retired,
}: Pick<SweepOutput, 'memory' | 'retired' | 'written'>): string {
  const changes = [
    ...(written === 0 ? [] : [`${formatCountOf(written, 'entry', 'entries')} written`]),
    ...(retired === 0 ? [] : [`${formatCount(retired)} retired`]),
  ].join(', ');
  return {
    untouched: 'no changes',
    planned: 'interrupted; the next sweep completes it',
    partly_undone: 'partly undone',
    undone: 'undone',
    applied: changes || 'no changes',
  }[memory];
}

/** Labels of the counts, singular and plural. */
const COUNT_WORDS: Readonly<Record<string, readonly [string, string?]>> = {
  notes: ['note', 'notes'],
  messages: ['message', 'messages'],
  noted: ['new statement', 'new statements'],
  staged: ['staged'],
  considered: ['statement considered', 'statements considered'],
  themes: ['theme', 'themes'],
  truths: ['candidate truth', 'candidate truths'],
  passed: ['passed every gate'],
  newer: ['newer statement', 'newer statements'],
  promote: ['promoted'],
  renew: ['updated'],
  said: ['already known'],
  skip: ['skipped'],
};

type PhaseOutput = NonNullable<SweepOutput['phases']['light']>;

/** The result of a phase: `2 notes, 31 new statements, 12 staged`. */
export function phaseWords({ state, counts, error }: PhaseOutput): string {
  if (state === 'off') return 'off';
  if (state === 'failed') return `failed: ${safeLine(error ?? '')}`;
  return Object.entries(counts ?? {})
    .filter(([, count], at) => count > 0 || at === 0)
    .map(([name, count]) => {
      const [one, more = one] = COUNT_WORDS[name] ?? [safeLine(name)];
      return formatCountOf(count, one, more);
    })
    .join(', ');
}

/** A line for each file that could not be read. */
export function skippedLines(skipped: SweepSummaryOutput['skipped']): readonly string[] {
  return skipped
    .filter(isFaultySkip)
    .map((skip) => `  skipped ${safeLine(`${skip.path}: ${skipWords(skip)}`)}`);
}

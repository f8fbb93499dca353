import type {
  DecisionOutput,
  DreamCandidatesOutput,
  DreamExplainOutput,
  SweepOutput,
} from '../../engine/dreaming/output-schemas.js';
import { formatCountOf } from '../format.js';
import { lineAnchor } from '../memory/location.js';
import { safeLine } from '../safe-text.js';

type Signals = DreamCandidatesOutput['candidates'][number]['signals'];
type GateName = DreamExplainOutput['gates'][number]['gate'];

/** The six signals in their order. */
export const SIGNAL_NAMES = [
  'frequency',
  'relevance',
  'diversity',
  'recency',
  'consolidation',
  'conceptual',
] as const satisfies readonly (keyof Signals)[];

const LEVELS = '▁▂▃▄▅▆▇█';

/** One bar of a column's height for each signal: `▇▅▃█▁▄`. */
export function signalBars(signals: Signals): string {
  return SIGNAL_NAMES.map((name) => {
    const level = Math.round(Math.min(1, Math.max(0, signals[name])) * (LEVELS.length - 1));
    return LEVELS[level];
  }).join('');
}

/** What a gate asks, as people say it. */
export const GATE_WORDS: Readonly<Record<GateName, string>> = {
  short_term: 'from short-term memory',
  clean: 'a clean statement',
  open: 'not decided yet',
  asked: 'asked for',
  recall_count: 'signals enough',
  unique_queries: 'different questions',
  age: 'young enough',
  score: 'score high enough',
};

export const NOTE_WORDS: Readonly<Record<DreamExplainOutput['note'], string>> = {
  found: 'its note still says it',
  changed: 'its note says something else now',
  missing: 'its note does not say it any more',
};

export const LONG_TERM_WORDS: Readonly<Record<DreamExplainOutput['longTermMemory'], string>> = {
  new: 'MEMORY.md does not say it',
  present: 'MEMORY.md has it as an entry',
  said: 'MEMORY.md says all of it already',
  renews: 'it renews an entry of MEMORY.md',
};

/**
 * What was done with a claim, and why.
 *
 * @param dryRun what would be done
 */
export function decisionWords(
  { decision, why }: Pick<DecisionOutput, 'decision' | 'why'>,
  dryRun = false,
): string {
  const promoted = dryRun ? 'would be promoted' : 'promoted';
  switch (decision) {
    case 'promote':
      return promoted;
    case 'renew':
      return `${promoted}, in place of an older entry`;
    case 'said':
      return 'MEMORY.md says it already';
    case 'skip':
      return why === undefined ? 'left out' : `left out: ${NOTE_WORDS[why]}`;
  }
}

/** Where a claim stands: `memory/2026-11-18.md#L3`. */
export function placeWords(place: {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
}): string {
  return `${safeLine(place.path)}${lineAnchor(place)}`;
}

/** Enough of a key to name a claim by. */
export function shortKey(key: string): string {
  return key.slice(0, 8);
}

const TRIGGER_WORDS: Readonly<Record<SweepOutput['trigger'], string>> = {
  manual: 'by hand',
  schedule: 'on schedule',
  backfill: 'backfill',
  promote: 'one claim by hand',
};

export function triggerWords({ trigger }: Pick<SweepOutput, 'trigger'>): string {
  return TRIGGER_WORDS[trigger];
}

/** What became of `MEMORY.md`: `3 entries written`, `taken back`. */
export function memoryWords({ memory, written }: Pick<SweepOutput, 'memory' | 'written'>): string {
  switch (memory) {
    case 'untouched':
      return 'nothing written';
    case 'planned':
      return 'broken off; the next sweep ends it';
    case 'undone':
      return 'taken back';
    case 'applied':
      return `${formatCountOf(written, 'entry', 'entries')} written`;
  }
}

/** What is counted, with its plural where it has one. */
const COUNT_WORDS: Readonly<Record<string, readonly [string, string?]>> = {
  notes: ['note', 'notes'],
  messages: ['message', 'messages'],
  noted: ['new statement', 'new statements'],
  staged: ['stand out'],
  considered: ['statement considered', 'statements considered'],
  themes: ['theme', 'themes'],
  truths: ['candidate truth', 'candidate truths'],
  passed: ['passed every gate'],
  promote: ['promoted'],
  renew: ['renewed'],
  said: ['known already'],
  skip: ['left out'],
};

type PhaseOutput = NonNullable<SweepOutput['phases']['light']>;

/** How a phase went: `2 notes, 31 new statements, 12 stand out`. */
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

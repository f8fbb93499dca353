import { cutAtTokens, estimateTokens } from '../../memory/chunking/tokens.js';
import type { LineRange } from '../../memory/index.js';
import { withLineEndsOf } from '../../memory-files/insertion.js';
import { type ClaimKey, claimKeyOf } from '../claims/claim-words.js';
import { containsSecret } from '../claims/junk.js';
import { withinBudget } from '../promotion/budget.js';
import { isUndone, type MemoryChanger, writtenBlock } from '../promotion/change-memory.js';
import {
  compareClaim,
  type KnownMemory,
  knownMemory,
  knownStatement,
} from '../promotion/compare.js';
import {
  dayOfEntry,
  type MemoryEdit,
  type PromotedEntry,
  type Provenance,
  sweepDay,
} from '../promotion/memory-file.js';
import { type RecallEntry, signalDay, withSignal } from '../scoring/recall-entry.js';
import { fadedScore, scoreClaim } from '../scoring/score.js';
import {
  type ClaimCheck,
  checkClaim,
  noteSignal,
  type Statement,
  type Statements,
} from './check-claim.js';
import type { DreamSettings, DreamSources } from './dream-sources.js';

/** A claim that passed every gate. */
export interface RankedClaim {
  readonly entry: RecallEntry;
  readonly score: number;
}

/** What to do with a claim that passed every gate. */
export type PromotionDecision = RankedClaim &
  (
    | { readonly decision: 'promote'; readonly provenance: Provenance }
    | { readonly decision: 'renew'; readonly provenance: Provenance; readonly prior: ClaimKey }
    /** `MEMORY.md` already contains it: settled, nothing to write. */
    | { readonly decision: 'said' }
    | { readonly decision: 'skip'; readonly why: SkipReason }
  );
type WrittenDecision = Extract<PromotionDecision, { readonly decision: 'promote' | 'renew' }>;

/** Whether a claim becomes an entry in `MEMORY.md`. */
export function isWritten(decision: PromotionDecision): decision is WrittenDecision {
  return decision.decision === 'promote' || decision.decision === 'renew';
}

/**
 * Why a claim is skipped: its note changed or is missing, it is a secret, a later note contradicts it, or
 * `MEMORY.md` has no room for it.
 */
export const SKIP_REASONS = ['changed', 'missing', 'secret', 'superseded', 'full'] as const;
type SkipReason = (typeof SKIP_REASONS)[number];

/** What a plan is based on. */
export interface PromotionBasis extends Pick<MemoryChanger, 'entries' | 'nowMs' | 'sweeps'> {
  readonly sources: Pick<DreamSources, 'read'>;
  /** Of the notes that claims are compared with. */
  readonly statements: Statements;
}

type DeepSettings = DreamSettings['phases']['deep'];

/** The rules of a plan. */
export interface PromotionRules extends DeepSettings {
  readonly sweepId: string;
  /** The day of new headings, `YYYY-MM-DD`. */
  readonly day: string;
  /** Reworded claims. */
  readonly wordings?: ReadonlyMap<ClaimKey, string> | undefined;
  /** Whether newer statements replace the claims and entries they supersede. */
  readonly followsNotes: boolean;
}

/**
 * Decides what goes into `MEMORY.md`. First, statements that supersede an existing entry replace it. Then
 * each claim is checked against its note, later notes, existing entries and earlier decisions.
 *
 * @param ranked claims that passed every gate, best first
 */
export function planPromotions(
  ranked: readonly RankedClaim[],
  memoryText: string,
  basis: PromotionBasis,
  rules: PromotionRules,
) {
  const { sources, statements, entries, sweeps, nowMs } = basis;
  const { sweepId, followsNotes, maxPriorEntryLossFraction: mostLoss } = rules;
  const decisions: PromotionDecision[] = [];
  const edits: MemoryEdit[] = [];
  let known = knownMemory(memoryText);
  let written = 0;

  /** The recorded claim, or a new one for a statement that no sweep has found yet. */
  const entryOf = (statement: Statement): RecallEntry =>
    entries.get(statement.key) ?? withSignal(undefined, noteSignal(statement, 'daily', 0, nowMs));
  /** How much an entry deserves to stay: its claim's score now. */
  const strengthOf = ({ key, score, sweepId: by }: PromotedEntry): number => {
    const { recencyHalfLifeDays } = rules;
    const entry = entries.get(key);
    return entry === undefined
      ? fadedScore(score, Date.parse(sweepDay(by)), nowMs, recencyHalfLifeDays)
      : scoreClaim(entry, nowMs, recencyHalfLifeDays).score;
  };
  /** Whether an entry is unchanged since dreaming wrote it; edited entries are left alone. */
  const isAsWritten = ({ key, text, sweepId: by, block }: PromotedEntry): boolean => {
    if (claimKeyOf(text) === key) return true;
    const operations = sweeps.get(by)?.memory?.operations ?? [];
    return operations.some((operation) =>
      withLineEndsOf(block, writtenBlock(operation)).includes(block.trimEnd()),
    );
  };
  /** Whether a person undid a sweep that had retired an entry. */
  const wasRestored = (key: ClaimKey): boolean =>
    sweeps
      .list()
      .some(
        ({ memory }) =>
          isUndone(memory) &&
          memory.operations.some((one) => one.kind === 'retire' && one.key === key),
      );
  const provenanceOf = (
    { entry, score }: RankedClaim,
    { startLine, endLine }: LineRange,
  ): Provenance => ({
    key: entry.key,
    sweepId,
    path: entry.place.path,
    lines: { startLine, endLine },
    score,
    recalls: entry.recallCount,
  });
  const write = (decision: WrittenDecision): void => {
    const { entry, provenance } = decision;
    decisions.push(decision);
    const wording = rules.wordings?.get(entry.key) ?? entry.text;
    const text = trimClaim(wording, rules.maxPromotedSnippetTokens);
    const prior = decision.decision === 'renew' ? decision.prior : undefined;
    edits.push(
      prior === undefined
        ? { kind: 'add', entry: provenance, text }
        : { kind: 'replace', prior, entry: provenance, text },
    );
    const { promoted } = without(known, prior);
    const added = { entry: { ...provenance, text, block: '' }, ...knownStatement(text) };
    known = { ...known, promoted: [...promoted, added] };
  };
  /** Replaces entries that newer notes contradict. */
  const followNotes = (): void => {
    for (const { entry: existing } of known.promoted) {
      const newer = statements.contradictionOf(existing.text, dayOfEntry(existing));
      if (newer === undefined || !isAsWritten(existing)) continue;
      const entry = entryOf(newer);
      // A person removed the newer statement from MEMORY.md: leave the older one alone.
      if (entry.state.fate === 'rejected') continue;
      const others = without(known, existing.key);
      const { verdict } = compareClaim(newer.text, others, mostLoss);
      if (verdict === 'present' || verdict === 'said') {
        if (wasRestored(existing.key)) continue;
        const because = { why: 'superseded', by: newer.key, until: newer.day } as const;
        edits.push({ kind: 'retire', prior: existing.key, because });
        known = others;
        continue;
      }
      const { score } = existing;
      const provenance = provenanceOf({ entry, score }, newer.place);
      write({ entry, score, decision: 'renew', provenance, prior: existing.key });
    }
  };
  const decide = (claim: RankedClaim, lines: LineRange): void => {
    const { entry } = claim;
    const comparison = compareClaim(entry.text, known, mostLoss);
    if (comparison.verdict === 'present' || comparison.verdict === 'said') {
      decisions.push({ ...claim, decision: 'said' });
      return;
    }
    const prior =
      comparison.verdict === 'renews'
        ? known.promoted.find((one) => one.entry.key === comparison.prior)?.entry
        : undefined;
    if (prior !== undefined && dayOfEntry(prior) > signalDay(entry)) {
      decisions.push({ ...claim, decision: 'skip', why: 'superseded' });
      return;
    }
    const isOwn = prior !== undefined && (prior.sweepId === sweepId || isAsWritten(prior));
    const provenance = provenanceOf(claim, lines);
    written += 1;
    write(
      isOwn
        ? { ...claim, decision: 'renew', provenance, prior: prior.key }
        : { ...claim, decision: 'promote', provenance },
    );
  };
  /** Checks for secrets again: a claim promoted by hand has not passed the gates. */
  const check = (entry: RecallEntry): ClaimCheck | { readonly state: 'secret' } =>
    containsSecret(entry.text) ? { state: 'secret' } : checkClaim(entry, sources, () => statements);
  /** Decides on a claim, or on the statement that superseded it. */
  const take = ({ entry, score }: RankedClaim): void => {
    // Already decided on, as what supersedes another claim or an entry.
    if (decisions.some((decided) => decided.entry.key === entry.key)) return;
    const checked = check(entry);
    if (checked.state === 'found') {
      decide({ entry, score }, checked.claim);
      return;
    }
    decisions.push({ entry, score, decision: 'skip', why: checked.state });
    if (checked.state !== 'superseded' || !followsNotes) return;
    const current = entryOf(checked.by);
    if (current.state.fate === 'open') decide({ entry: current, score }, checked.by.place);
  };

  if (followsNotes) followNotes();
  for (const claim of ranked) {
    if (written >= rules.limit) break;
    take(claim);
  }
  const { maxMemoryChars: maxChars, day } = rules;
  const budget = { maxChars, day, mayRetire: isAsWritten, strengthOf };
  const planned = withinBudget(memoryText, edits, budget);
  const decided = decisions.map((decision): PromotionDecision => {
    const { entry, score } = decision;
    const isRefused = decision.decision === 'promote' && planned.refused.has(entry.key);
    return isRefused ? { entry, score, decision: 'skip', why: 'full' } : decision;
  });
  return { decisions: decided, edits: planned.edits };
}

function without(known: KnownMemory, key: ClaimKey | undefined): KnownMemory {
  return { ...known, promoted: known.promoted.filter(({ entry }) => entry.key !== key) };
}

/** Cuts a long claim between words and adds an ellipsis. */
function trimClaim(text: string, maxTokens: number): string {
  if (estimateTokens(text) <= maxTokens) return text;
  // Leave one token for the ellipsis.
  return `${text.slice(0, cutAtTokens(text, 0, Math.max(1, maxTokens - 1))).trimEnd()}…`;
}

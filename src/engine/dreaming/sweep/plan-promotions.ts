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
    | { readonly decision: 'skip'; readonly why: (typeof SKIP_REASONS)[number] }
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
  const plan = new Plan(memoryText, basis, rules);
  if (rules.followsNotes) plan.followNotes();
  for (const claim of ranked) {
    if (plan.isFull) break;
    plan.take(claim);
  }
  return plan.result();
}

class Plan {
  private readonly memoryText: string;
  private readonly basis: PromotionBasis;
  private readonly rules: PromotionRules;
  private readonly decisions: PromotionDecision[] = [];
  private readonly edits: MemoryEdit[] = [];
  private known: KnownMemory;
  private written = 0;

  constructor(memoryText: string, basis: PromotionBasis, rules: PromotionRules) {
    this.memoryText = memoryText;
    this.basis = basis;
    this.rules = rules;
    this.known = knownMemory(memoryText);
  }

  get isFull(): boolean {
    return this.written >= this.rules.limit;
  }

  result() {
    const { maxMemoryChars: maxChars, day } = this.rules;
    const { edits, refused } = withinBudget(this.memoryText, this.edits, {
      maxChars,
      day,
      mayRetire: (entry) => this.isAsWritten(entry),
      strengthOf: (entry) => this.strengthOf(entry),
    });
    const decisions = this.decisions.map((decision): PromotionDecision => {
      const { entry, score } = decision;
      const isRefused = decision.decision === 'promote' && refused.has(entry.key);
      return isRefused ? { entry, score, decision: 'skip', why: 'full' } : decision;
    });
    return { decisions, edits };
  }

  /** Replaces entries that newer notes contradict. */
  followNotes(): void {
    const { statements } = this.basis;
    for (const { entry: existing } of this.known.promoted) {
      const day = dayOfEntry(existing);
      const newer = statements.contradictionOf(existing.text, day);
      if (newer === undefined || !this.isAsWritten(existing)) continue;
      const entry = this.entryOf(newer);
      // A person removed the newer statement from MEMORY.md: leave the older one alone.
      if (entry.fate === 'rejected') continue;
      const others = without(this.known, existing.key);
      const { verdict } = compareClaim(newer.text, others, this.rules.maxPriorEntryLossFraction);
      if (verdict === 'present' || verdict === 'said') {
        if (this.wasRestored(existing.key)) continue;
        const because = { why: 'superseded', by: newer.key, until: newer.day } as const;
        this.edits.push({ kind: 'retire', prior: existing.key, because });
        this.known = others;
        continue;
      }
      const { score } = existing;
      const provenance = this.provenanceOf({ entry, score }, newer);
      this.write({ entry, score, decision: 'renew', provenance, prior: existing.key });
    }
  }

  /** Decides on a claim, or on the statement that superseded it. */
  take({ entry, score }: RankedClaim): void {
    // Already decided on, as what supersedes another claim or an entry.
    if (this.decisions.some((decided) => decided.entry.key === entry.key)) return;
    const check = this.checkClaim(entry);
    if (check.state === 'found') {
      this.decide({ entry, score }, check.claim);
      return;
    }
    this.decisions.push({ entry, score, decision: 'skip', why: check.state });
    if (check.state !== 'superseded' || !this.rules.followsNotes) return;
    const current = this.entryOf(check.by);
    if (current.fate === 'open') this.decide({ entry: current, score }, check.by);
  }

  /** Checks for secrets again: a claim promoted by hand has not passed the gates. */
  private checkClaim(entry: RecallEntry): ClaimCheck | { readonly state: 'secret' } {
    if (containsSecret(entry.text)) return { state: 'secret' };
    return checkClaim(entry, this.basis.sources, this.basis.statements);
  }

  private decide(ranked: RankedClaim, lines: LineRange): void {
    const { entry } = ranked;
    const comparison = compareClaim(entry.text, this.known, this.rules.maxPriorEntryLossFraction);
    if (comparison.verdict === 'present' || comparison.verdict === 'said') {
      this.decisions.push({ ...ranked, decision: 'said' });
      return;
    }
    const prior = comparison.verdict === 'renews' ? this.promoted(comparison.prior) : undefined;
    if (prior !== undefined && dayOfEntry(prior) > signalDay(entry)) {
      this.decisions.push({ ...ranked, decision: 'skip', why: 'superseded' });
      return;
    }
    const isOwn =
      prior !== undefined && (prior.sweepId === this.rules.sweepId || this.isAsWritten(prior));
    const provenance = this.provenanceOf(ranked, lines);
    this.written += 1;
    this.write(
      isOwn
        ? { ...ranked, decision: 'renew', provenance, prior: prior.key }
        : { ...ranked, decision: 'promote', provenance },
    );
  }

  /** The recorded claim, or a new one for a statement that no sweep has found yet. */
  private entryOf(statement: Statement): RecallEntry {
    const { entries, nowMs } = this.basis;
    const known = entries.get(statement.key);
    return known ?? withSignal(undefined, noteSignal(statement, 'daily', 0, nowMs));
  }

  /** How much an entry deserves to stay: its claim's score now. */
  private strengthOf({ key, score, sweepId }: PromotedEntry): number {
    const { entries, nowMs } = this.basis;
    const { recencyHalfLifeDays } = this.rules;
    const known = entries.get(key);
    return known === undefined
      ? fadedScore(score, Date.parse(sweepDay(sweepId)), nowMs, recencyHalfLifeDays)
      : scoreClaim(known, nowMs, recencyHalfLifeDays).score;
  }

  /** Whether an entry is unchanged since dreaming wrote it; edited entries are left alone. */
  private isAsWritten({ key, text, sweepId, block }: PromotedEntry): boolean {
    if (claimKeyOf(text) === key) return true;
    const operations = this.basis.sweeps.get(sweepId)?.operations ?? [];
    return operations.some((operation) =>
      withLineEndsOf(block, writtenBlock(operation)).includes(block.trimEnd()),
    );
  }

  /** Whether a person undid a sweep that had retired an entry. */
  private wasRestored(key: ClaimKey): boolean {
    return this.basis.sweeps
      .list()
      .some(
        (sweep) =>
          isUndone(sweep) &&
          sweep.operations.some((one) => one.kind === 'retire' && one.key === key),
      );
  }

  private promoted(key: ClaimKey): PromotedEntry | undefined {
    return this.known.promoted.find(({ entry }) => entry.key === key)?.entry;
  }

  private write(decision: WrittenDecision): void {
    const { entry, provenance } = decision;
    this.decisions.push(decision);
    const wording = this.rules.wordings?.get(entry.key) ?? entry.text;
    const text = trimClaim(wording, this.rules.maxPromotedSnippetTokens);
    const prior = decision.decision === 'renew' ? decision.prior : undefined;
    this.edits.push(
      prior === undefined
        ? { kind: 'add', entry: provenance, text }
        : { kind: 'replace', prior, entry: provenance, text },
    );
    const { promoted } = without(this.known, prior);
    const added = { entry: { ...provenance, text, block: '' }, ...knownStatement(text) };
    this.known = { ...this.known, promoted: [...promoted, added] };
  }

  private provenanceOf({ entry, score }: RankedClaim, lines: LineRange): Provenance {
    const { startLine, endLine } = lines;
    return {
      key: entry.key,
      sweepId: this.rules.sweepId,
      path: entry.path,
      lines: { startLine, endLine },
      score,
      recalls: entry.recallCount,
    };
  }
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

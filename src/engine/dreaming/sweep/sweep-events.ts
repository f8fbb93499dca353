import type { SkippedFile } from '../../memory/types.js';
import type { PhaseName, PhaseRecord, SweepRecord } from '../store/sweep-records.js';
import type { PromotionDecision } from './plan-promotions.js';

/** What a sweep tells while it runs. */
export type SweepEvent =
  | { readonly type: 'sweep.waiting' }
  | { readonly type: 'sweep.started'; readonly id: string; readonly dir: string }
  | { readonly type: 'recalls.ingested'; readonly searches: number; readonly broken: number }
  | { readonly type: 'phase.started'; readonly phase: PhaseName }
  | { readonly type: 'phase.ended'; readonly phase: PhaseName; readonly record: PhaseRecord }
  /** The phase's report as Markdown, whether or not it is written to a file. */
  | { readonly type: 'phase.reported'; readonly phase: PhaseName; readonly report: string }
  | { readonly type: 'claim.decided'; readonly decision: PromotionDecision }
  | { readonly type: 'sweep.ended'; readonly summary: SweepSummary };

/** What a sweep came to. */
export interface SweepSummary {
  readonly sweep: SweepRecord;
  readonly dir: string;
  /** Nothing was written: the sweep only looked. */
  readonly dryRun: boolean;
  readonly searches: number;
  readonly decisions: readonly PromotionDecision[];
  readonly skipped: readonly SkippedFile[];
  /** Why the diary or a report could not be written; they never keep a phase from counting. */
  readonly reportFaults: readonly string[];
  /** Why a model's words were not used. */
  readonly modelFaults: readonly string[];
}

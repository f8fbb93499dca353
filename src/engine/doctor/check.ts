import type { DiffLine } from '../support/text-diff.js';
import type { ConfiguredWorld, DoctorWorld } from './world.js';

interface CheckName {
  /** One lower-case word, shown to people and matched on by scripts. */
  readonly name: string;
}

/**
 * One check of the doctor. It changes nothing and stops on the signal of its world. A check that needs
 * the configuration is skipped while that has faults. An SvcError that it throws becomes a finding.
 */
export type DoctorCheck = CheckName &
  (
    | {
        readonly needs: 'configuration';
        readonly run: (world: ConfiguredWorld) => Promise<CheckReport>;
      }
    | { readonly needs: 'nothing'; readonly run: (world: DoctorWorld) => Promise<CheckReport> }
  );

/** The worst of a check's findings, notes left out. */
export type CheckState = 'fault' | 'off' | 'ok' | 'warning';

export interface CheckResult extends Omit<CheckReport, 'off'> {
  readonly check: string;
  readonly state: CheckState;
}

/** The results of all checks. */
export interface DoctorReport {
  /** False while faults remain. */
  readonly ok: boolean;
  /** Checks without a warning or fault, and findings by severity. */
  readonly counts: { readonly ok: number; readonly warnings: number; readonly faults: number };
  /** In the order of the registry. */
  readonly checks: readonly CheckResult[];
}

/** Progress of a doctor run, for the screen and the plain output. */
export type DoctorEvent =
  | { readonly type: 'check.started'; readonly check: string }
  | { readonly type: 'check.finished'; readonly result: CheckResult };

/** A `fault` keeps something from working; a `warning` might; a `note` is worth knowing. */
export type FindingSeverity = 'fault' | 'note' | 'warning';

/** A file, or a place in one; line and column are 1-based. */
export interface FindingPlace {
  /** Absolute path. */
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** Lines around a place, with secrets masked. */
export interface Excerpt {
  /** Number of the first of the lines. */
  readonly firstLine: number;
  readonly lines: readonly string[];
  /** The place among them, in the masked text. */
  readonly line: number;
  readonly column: number;
}

/** A fix that a person can review before it is applied. */
export interface Fix {
  /** An imperative sentence without a full stop. */
  readonly title: string;
  /** What it changes, without secrets. */
  readonly diff: readonly DiffLine[];
  /** Whether it can be applied without asking: nothing that somebody wrote or paid for is lost. */
  readonly safe: boolean;
  /** What has to be checked again afterwards: everything, or this check only. */
  readonly changes: 'configuration' | 'state';
  /** Applies it if nothing changed since it was shown. @throws SvcError when it cannot be applied */
  readonly apply: (signal: AbortSignal) => Promise<void>;
}

/** One problem or note. The texts are for people and contain no secrets. */
export interface Finding {
  /** For programs, like `unknown-key`; never renamed. */
  readonly code: string;
  readonly severity: FindingSeverity;
  /** One clause. */
  readonly message: string;
  /** Why it is so, or why it matters. */
  readonly cause?: string | undefined;
  readonly place?: FindingPlace | undefined;
  readonly excerpt?: Excerpt | undefined;
  /** What to type or do about it. */
  readonly hint?: string | undefined;
  readonly fix?: Fix | undefined;
}

export interface CheckReport {
  /** What was checked, in a few words. */
  readonly summary: string;
  readonly findings: readonly Finding[];
  /** True where there was nothing to check. */
  readonly off?: boolean;
}

import type { DoctorOutput } from './output-schemas.js';
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
export type CheckState = DoctorOutput['checks'][number]['state'];

export interface CheckResult extends Pick<CheckReport, 'summary'> {
  readonly check: string;
  readonly state: CheckState;
  readonly findings: readonly Finding[];
}

/** The results of all checks, in the order of the registry. */
export interface DoctorReport extends Pick<DoctorOutput, 'counts' | 'ok'> {
  readonly checks: readonly CheckResult[];
}

/** Progress of a doctor run, for the screen and the plain output. */
export type DoctorEvent =
  | { readonly type: 'check.started'; readonly check: string }
  | { readonly type: 'check.finished'; readonly result: CheckResult };

type PrintedFinding = DoctorOutput['checks'][number]['findings'][number];

/** A file, or a place in one. */
export type FindingPlace = NonNullable<PrintedFinding['place']>;

/** Lines around a place, with secrets masked. */
export interface Excerpt {
  /** Number of the first of the lines. */
  readonly firstLine: number;
  readonly lines: readonly string[];
  /** The place among them, in the masked text. */
  readonly line: number;
  readonly column: number;
}

/**
 * A fix that a person can review before it is applied. It is safe if nothing that somebody wrote or paid for is
 * lost.
 */
export interface Fix extends NonNullable<PrintedFinding['fix']> {
  /** What has to be checked again afterwards: everything, or this check only. */
  readonly changes: 'configuration' | 'state';
  /** Applies it if nothing changed since it was shown. @throws SvcError when it cannot be applied */
  readonly apply: (signal: AbortSignal) => Promise<void>;
}

/** One problem or note. The texts are for people and contain no secrets; codes are never renamed. */
export interface Finding extends Omit<PrintedFinding, 'fix'> {
  readonly excerpt?: Excerpt | undefined;
  readonly fix?: Fix | undefined;
}

/** Builds a finding. */
export function finding(
  code: string,
  severity: Finding['severity'],
  rest: Omit<Finding, 'code' | 'severity'>,
): Finding {
  return { code, severity, ...rest };
}

export interface CheckReport {
  /** What was checked, in a few words. */
  readonly summary: string;
  /** Undefined stands for what was looked at and is fine. */
  readonly findings: readonly (Finding | undefined)[];
  /** True where there was nothing to check. */
  readonly off?: boolean;
}

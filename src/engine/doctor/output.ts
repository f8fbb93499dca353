import type { CheckResult, CheckState, DoctorReport } from './check.js';
import type { Finding, Mend } from './finding.js';
import type { AppliedMend } from './mend-all.js';

/** The JSON form of a finding: what can be done about it is told, not given. */
export type FindingOutput = Omit<Finding, 'excerpt' | 'mend'> & {
  readonly mend?: Pick<Mend, 'diff' | 'safe' | 'title'>;
};

/** The document of `svc config doctor --json`. */
export interface DoctorOutput extends Omit<DoctorReport, 'checks'> {
  readonly checks: readonly {
    readonly check: string;
    readonly state: CheckState;
    readonly summary: string;
    readonly findings: readonly FindingOutput[];
  }[];
  /** What `--fix` did. */
  readonly applied: readonly AppliedMend[];
}

/** Makes the document. */
export function doctorOutput(
  { ok, counts, checks }: DoctorReport,
  applied: readonly AppliedMend[],
): DoctorOutput {
  return { ok, counts, checks: checks.map(checkOutput), applied };
}

function checkOutput({ check, state, summary, findings }: CheckResult) {
  return { check, state, summary, findings: findings.map(findingOutput) };
}

function findingOutput(finding: Finding): FindingOutput {
  const { mend, excerpt: _, ...rest } = finding;
  if (mend === undefined) return rest;
  const { title, safe, diff } = mend;
  return { ...rest, mend: { title, safe, diff } };
}

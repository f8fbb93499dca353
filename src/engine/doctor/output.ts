import type { CheckResult, CheckState, DoctorReport, Finding, Fix } from './check.js';

import type { AppliedFix } from './run-doctor.js';

/** The JSON form of a finding. */
export type FindingOutput = Omit<Finding, 'excerpt' | 'fix'> & {
  readonly fix?: Pick<Fix, 'diff' | 'safe' | 'title'>;
};

/** The document of `svc config doctor --json`. */
export interface DoctorOutput extends Omit<DoctorReport, 'checks'> {
  readonly checks: readonly {
    readonly check: string;
    readonly state: CheckState;
    readonly summary: string;
    readonly findings: readonly FindingOutput[];
  }[];
  readonly applied: readonly AppliedFix[];
}

export function doctorOutput(
  { ok, counts, checks }: DoctorReport,
  applied: readonly AppliedFix[],
): DoctorOutput {
  return { ok, counts, checks: checks.map(checkOutput), applied };
}

function checkOutput({ check, state, summary, findings }: CheckResult) {
  return { check, state, summary, findings: findings.map(findingOutput) };
}

function findingOutput(finding: Finding): FindingOutput {
  const { fix, excerpt: _, ...rest } = finding;
  if (fix === undefined) return rest;
  const { title, safe, diff } = fix;
  return { ...rest, fix: { title, safe, diff } };
}

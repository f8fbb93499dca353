import { setImmediate } from 'node:timers/promises';
import { asSvcError, messageOf, SvcError } from '../errors/index.js';
import type { SecretMask } from '../masking/index.js';
import { uniqueBy } from '../support/lists.js';
import {
  type CheckReport,
  type CheckResult,
  type CheckState,
  type DoctorCheck,
  type DoctorEvent,
  type DoctorOptions,
  type DoctorReport,
  type Finding,
  type Fix,
  faultOf,
  finding,
  type OpenedWorld,
  openWorld,
} from './check.js';
import type { DoctorOutput } from './output-schemas.js';

export interface RunDoctorOptions extends DoctorOptions {
  readonly checks: readonly DoctorCheck[];
  readonly onEvent?: ((event: DoctorEvent) => void) | undefined;
  /** A hint as it is shown. */
  readonly hintFor?: (hint: string) => string;
}

/**
 * Runs all checks concurrently. A check that fails reports that as a finding, so that one broken thing
 * never hides the others.
 *
 * @throws the signal's reason
 */
export async function runDoctor(options: RunDoctorOptions): Promise<DoctorReport> {
  const { checks, signal, onEvent = () => undefined, hintFor = (hint) => hint } = options;
  signal.throwIfAborted();
  const opened = openWorld(options);
  try {
    // Much of a check is synchronous: one start per turn of the event loop lets keys and signals in between.
    let turn: Promise<unknown> = Promise.resolve();
    const results = await Promise.all(
      checks.map(async (check) => {
        onEvent({ type: 'check.started', check: check.name });
        turn = turn.then(() => setImmediate());
        const report = await runCheck(check, opened, turn);
        const result = resultOf(check, report, opened.world.mask, hintFor);
        if (!signal.aborted) onEvent({ type: 'check.finished', result });
        return result;
      }),
    );
    signal.throwIfAborted();
    return reportOf(results);
  } finally {
    await opened.close();
  }
}

/** Counts results. */
export function reportOf(checks: readonly CheckResult[]): DoctorReport {
  const findings = checks.flatMap((result) => result.findings);
  const count = (severity: Finding['severity']): number =>
    findings.filter((finding) => finding.severity === severity).length;
  const faults = count('fault');
  const ok = checks.filter(({ state }) => state === 'ok').length;
  return { ok: faults === 0, counts: { ok, warnings: count('warning'), faults }, checks };
}

async function runCheck(
  check: DoctorCheck,
  opened: OpenedWorld,
  turn: Promise<unknown>,
): Promise<CheckReport> {
  try {
    await turn;
    opened.world.signal.throwIfAborted();
    return await check.run(opened);
  } catch (error) {
    if (error instanceof SvcError && error.code === 'SQLITE_UNUSABLE') {
      return WITHOUT_SQLITE;
    }
    return { summary: 'could not be checked', findings: [failure(error)] };
  }
}

/** The check `modules` reports the cause. */
const WITHOUT_SQLITE: CheckReport = {
  summary: 'skipped: SQLite cannot be loaded',
  findings: [],
  off: true,
};

function failure(error: unknown): Finding {
  const known = asSvcError(error);
  if (known === undefined) {
    return finding('check-failed', 'fault', {
      message: 'the check failed',
      cause: messageOf(error),
      hint: 'please report it with the file that "svc bug-report" writes',
    });
  }
  return faultOf('check-failed', known, { place: known.location });
}

/** Masks known secrets: vendors and programs quote what they were given. */
function resultOf(
  { name }: DoctorCheck,
  report: CheckReport,
  mask: SecretMask,
  hintFor: (hint: string) => string,
): CheckResult {
  const found = report.findings.filter((finding) => finding !== undefined);
  // Agents that share a workspace have its problems in common.
  const findings = uniqueBy(
    found.map((finding) => hiddenIn(finding, mask, hintFor)),
    ({ code, message, place }) => JSON.stringify([code, message, place]),
  );
  const summary = mask.text(report.summary);
  return { check: name, state: stateOf(found, report.off), summary, findings };
}

function stateOf(findings: readonly Finding[], off = false): CheckState {
  const has = (severity: Finding['severity']): boolean =>
    findings.some((finding) => finding.severity === severity);
  if (has('fault')) return 'fault';
  if (has('warning')) return 'warning';
  return off ? 'off' : 'ok';
}

function hiddenIn(finding: Finding, mask: SecretMask, hintFor: (hint: string) => string): Finding {
  const { message, cause, hint, fix } = finding;
  return {
    ...finding,
    message: mask.text(message),
    cause: cause && mask.text(cause),
    hint: hint && mask.text(hintFor(hint)),
    fix: fix && { ...fix, title: mask.text(fix.title) },
  };
}

/** What became of a fix. */
export type AppliedFix = DoctorOutput['applied'][number];

export interface FixedReport {
  readonly report: DoctorReport;
  readonly applied: readonly AppliedFix[];
}

/** A fix can uncover the next problem, as a renamed key does with what is below it, or change the lines of another. */
const MOST_ROUNDS = 20;

/** Runs the checks and applies every safe fix, again and again until none is left. @throws the signal's reason */
export async function fixAll(options: RunDoctorOptions): Promise<FixedReport> {
  const applied: AppliedFix[] = [];
  const failed = new Set<string>();
  let report = await runDoctor(options);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const pending = safeFixes(report).filter(({ check, fix }) => !failed.has(keyOf(check, fix)));
    if (pending.length === 0) break;
    let isEdited = false;
    for (const { check, fix } of pending) {
      options.signal.throwIfAborted();
      const error = await attempt(fix, options.signal);
      // Its lines were changed just now: the next round shows what is left.
      const isOutdated = error instanceof SvcError && error.code === 'FIX_OUTDATED';
      if (isEdited && isOutdated && fix.changes === 'configuration') continue;
      applied.push(outcomeOf(check, fix, error));
      if (error !== undefined) failed.add(keyOf(check, fix));
      else if (fix.changes === 'configuration') isEdited = true;
    }
    report = await runDoctor(options);
  }
  return { report, applied };
}

/** The safe fixes of a report, with the names of their checks. */
function safeFixes(report: DoctorReport): readonly { readonly check: string; readonly fix: Fix }[] {
  return report.checks.flatMap(({ check, findings }) =>
    findings.flatMap(({ fix }) => (fix?.safe === true ? [{ check, fix }] : [])),
  );
}

/** Applies one fix; a failure is returned. @throws the signal's reason; bugs */
export async function applyFix(check: string, fix: Fix, signal: AbortSignal): Promise<AppliedFix> {
  return outcomeOf(check, fix, await attempt(fix, signal));
}

/** @returns the failure @throws the signal's reason; bugs */
async function attempt(fix: Fix, signal: AbortSignal): Promise<Error | undefined> {
  try {
    await fix.apply(signal);
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Error && 'code' in error) return error;
    throw error;
  }
}

function outcomeOf(check: string, { title }: Fix, error: Error | undefined): AppliedFix {
  return error === undefined ? { check, title } : { check, title, failure: messageOf(error) };
}

function keyOf(check: string, { title }: Fix): string {
  return `${check}: ${title}`;
}

/** `svc config doctor --json`. */
export function doctorOutput({ report, applied }: FixedReport): DoctorOutput {
  const checks = report.checks.map((result) => {
    return { ...result, findings: result.findings.map(findingOutput) };
  });
  return { ...report, checks, applied };
}

function findingOutput({ text: _, fix, ...finding }: Finding) {
  if (fix === undefined) return finding;
  const { title, safe, diff } = fix;
  return { ...finding, fix: { title, safe, diff } };
}

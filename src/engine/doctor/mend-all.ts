import { messageOf, SvcError } from '../errors/index.js';
import type { DoctorReport } from './check.js';
import type { Mend } from './finding.js';
import { type RunDoctorOptions, runDoctor } from './run-doctor.js';

/** A mend that was tried. */
export interface AppliedMend {
  readonly check: string;
  readonly title: string;
  /** Why it could not be done; undefined when it was. */
  readonly failure?: string;
}

/** What is left after mending, and what was done. */
export interface MendedReport {
  readonly report: DoctorReport;
  readonly applied: readonly AppliedMend[];
}

/** A mend may bring to light what it hid, as a mended key does with what is below it; not for ever. */
const MOST_ROUNDS = 5;

/**
 * Looks, does every safe mend, and looks again until none is left.
 *
 * @throws the signal's reason
 */
export async function mendAll(options: RunDoctorOptions): Promise<MendedReport> {
  const applied: AppliedMend[] = [];
  const failed = new Set<string>();
  let report = await runDoctor(options);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const pending = safeMends(report).filter(({ check, mend }) => !failed.has(keyOf(check, mend)));
    if (pending.length === 0) break;
    for (const { check, mend } of pending) {
      options.signal.throwIfAborted();
      const outcome = await applyMend(check, mend, options.signal);
      applied.push(outcome);
      if (outcome.failure !== undefined) failed.add(keyOf(check, mend));
    }
    report = await runDoctor(options);
  }
  return { report, applied };
}

/** The mends of a report that may be done unasked, each once, with the names of their checks. */
function safeMends(
  report: DoctorReport,
): readonly { readonly check: string; readonly mend: Mend }[] {
  return report.checks.flatMap(({ check, findings }) =>
    findings.flatMap(({ mend }) => (mend?.safe === true ? [{ check, mend }] : [])),
  );
}

/**
 * Does one mend; what keeps it from being done is told and not thrown.
 *
 * @throws the signal's reason; what is a bug
 */
export async function applyMend(
  check: string,
  mend: Mend,
  signal: AbortSignal,
): Promise<AppliedMend> {
  const { title } = mend;
  try {
    await mend.apply(signal);
    return { check, title };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SvcError) && !(error instanceof Error && 'code' in error)) throw error;
    return { check, title, failure: messageOf(error) };
  }
}

function keyOf(check: string, { title }: Mend): string {
  return `${check}: ${title}`;
}

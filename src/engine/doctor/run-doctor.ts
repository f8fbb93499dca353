import { messageOf, SvcError } from '../errors/index.js';
import type { CheckResult, CheckState, DoctorCheck, DoctorEvent, DoctorReport } from './check.js';
import type { CheckReport, Finding } from './finding.js';
import { hideSecrets } from './hide-secrets.js';
import { type LookOptions, type OpenedWorld, openWorld } from './world.js';

/** What is looked at, and who hears of it. */
export interface RunDoctorOptions extends LookOptions {
  readonly checks: readonly DoctorCheck[];
  readonly onEvent?: ((event: DoctorEvent) => void) | undefined;
}

/**
 * Makes all checks side by side. What goes wrong in a check is a finding of it, so that one broken
 * thing never hides the others.
 *
 * @throws the signal's reason
 */
export async function runDoctor(options: RunDoctorOptions): Promise<DoctorReport> {
  const { checks, signal, onEvent = () => undefined } = options;
  signal.throwIfAborted();
  const opened = openWorld(options);
  try {
    const results = await Promise.all(
      checks.map(async (check) => {
        onEvent({ type: 'check.started', check: check.name });
        const report = await runCheck(check, opened);
        const result = resultOf(check, hideSecrets(report, opened.world.mask));
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

/** Sums results up, in their order. */
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
  { world, configured }: OpenedWorld,
): Promise<CheckReport> {
  try {
    // The first part of every check would otherwise run before the next one is begun.
    await Promise.resolve();
    if (check.needs === 'nothing') return await check.run(world);
    return configured === undefined ? NOT_TRIED : await check.run(configured);
  } catch (error) {
    if (error instanceof SvcError && error.code === 'SQLITE_UNUSABLE') {
      return WITHOUT_SQLITE;
    }
    return { summary: 'could not be looked at', findings: [failure(error)] };
  }
}

const NOT_TRIED: CheckReport = {
  summary: 'not tried: the configuration has faults',
  findings: [],
  off: true,
};

/** One cause, told by one check. */
const WITHOUT_SQLITE: CheckReport = {
  summary: 'not tried: SQLite cannot be loaded',
  findings: [],
  off: true,
};

function failure(error: unknown): Finding {
  const finding = { code: 'check-failed', severity: 'fault' } as const;
  if (!(error instanceof SvcError)) {
    const message = 'the check itself failed';
    return { ...finding, message, cause: messageOf(error), hint: 'please report this' };
  }
  const { message, hint, location } = error;
  return {
    ...finding,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(location === undefined ? {} : { place: location }),
  };
}

function resultOf({ name }: DoctorCheck, { off, ...report }: CheckReport): CheckResult {
  return { check: name, state: stateOf(report.findings, off ?? false), ...report };
}

function stateOf(findings: readonly Finding[], off: boolean): CheckState {
  const has = (severity: Finding['severity']): boolean =>
    findings.some((finding) => finding.severity === severity);
  if (has('fault')) return 'fault';
  if (has('warning')) return 'warning';
  return off ? 'off' : 'ok';
}

import type { CheckResult, DoctorEvent, Finding } from '../../../engine/doctor/index.js';
import type { ListItem } from '../../components/list-state.js';

/** A finding, and the check that found it. The same finding of another run has the same id. */
export interface ShownFinding extends ListItem {
  readonly check: string;
  readonly finding: Finding;
}

/** The checks of the doctor's screen. */
export interface DoctorScreenState {
  /** The names of all checks, in their order. */
  readonly names: readonly string[];
  /** Those that are running or have finished. While one runs again, its last result stays. */
  readonly checks: Readonly<Record<string, CheckResult | 'running'>>;
  /** Those that are to run, or run again. */
  readonly again: ReadonlySet<string>;
  /** Number of the run; late events of an earlier run are ignored. */
  readonly run: number;
}

/** Events of the doctor's screen. */
export type DoctorScreenEvent =
  | { readonly type: 'run.started'; readonly checks: readonly string[] }
  | { readonly type: 'told'; readonly run: number; readonly event: DoctorEvent };

/** The screen before the first run. */
export function startDoctorScreen(names: readonly string[]): DoctorScreenState {
  return { names, checks: {}, again: new Set(), run: 0 };
}

/** The screen after an event; pure. */
export function reduceDoctorScreen(
  state: DoctorScreenState,
  event: DoctorScreenEvent,
): DoctorScreenState {
  switch (event.type) {
    case 'run.started':
      return { ...state, run: state.run + 1, again: new Set(event.checks) };
    case 'told':
      return event.run === state.run ? told(state, event.event) : state;
  }
}

function told(state: DoctorScreenState, event: DoctorEvent): DoctorScreenState {
  if (event.type === 'check.started') {
    const known = state.checks[event.check] ?? 'running';
    return { ...state, checks: { ...state.checks, [event.check]: known } };
  }
  const { result } = event;
  const again = new Set(state.again);
  again.delete(result.check);
  return { ...state, again, checks: { ...state.checks, [result.check]: result } };
}

/** The results so far, in the order of the checks. */
export function finishedChecks({ names, checks }: DoctorScreenState): readonly CheckResult[] {
  return names.flatMap((name) => {
    const result = checks[name];
    return result === undefined || result === 'running' ? [] : [result];
  });
}

const SEVERITIES = ['fault', 'warning', 'note'] as const satisfies readonly Finding['severity'][];

/** All findings, the worst first. */
export function shownFindings(state: DoctorScreenState): readonly ShownFinding[] {
  const findings = finishedChecks(state).flatMap(({ check, findings: found }) =>
    found.map((finding) => shownFinding(check, finding)),
  );
  return SEVERITIES.flatMap((severity) =>
    findings.filter(({ finding }) => finding.severity === severity),
  );
}

function shownFinding(check: string, finding: Finding): ShownFinding {
  const { code, message, place, severity } = finding;
  const id = JSON.stringify([check, code, message, place?.file, place?.line, place?.column]);
  return { id, text: [check, severity, message, place?.file ?? ''].join(' '), check, finding };
}

/** All that can be fixed without a question. */
export function safeFindings(state: DoctorScreenState): readonly ShownFinding[] {
  return shownFindings(state).filter(({ finding }) => finding.fix?.safe === true);
}

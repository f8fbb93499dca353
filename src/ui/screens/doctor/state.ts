import type { CheckResult, DoctorEvent, Finding } from '../../../engine/doctor/index.js';

/** A finding, and the check that found it. */
export interface ShownFinding {
  readonly check: string;
  readonly finding: Finding;
  /** The same finding of another look has the same key. */
  readonly key: string;
}

/** The state of the doctor's screen. */
export interface DoctorScreenState {
  /** The names of all checks, in their order. */
  readonly names: readonly string[];
  /** Those that are under way, or have ended. While one is made again its last outcome stays. */
  readonly checks: Readonly<Record<string, CheckResult | 'running'>>;
  /** Those that are being made again. */
  readonly again: ReadonlySet<string>;
  /** Which look is under way; what an earlier one still tells does not count. */
  readonly run: number;
  /** Key of the chosen finding; undefined means the first. */
  readonly chosen: string | undefined;
  /** Whether what the fix of the chosen one changes is shown. */
  readonly opened: boolean;
  /** Whether all safe fixes are shown and wait for a yes. */
  readonly confirming: boolean;
  /** How many lines of these fixes are above the screen. */
  readonly scrolled: number;
  readonly fixing: boolean;
  /** What came of the last fix. */
  readonly told: string | undefined;
  readonly help: boolean;
}

/** What moves the doctor's screen on. */
export type DoctorScreenEvent =
  | { readonly type: 'look.started'; readonly checks: readonly string[] }
  | { readonly type: 'look.told'; readonly run: number; readonly event: DoctorEvent }
  | { readonly type: 'moved'; readonly by: number }
  | { readonly type: 'fix.toggled' }
  | { readonly type: 'fix.opened' }
  | { readonly type: 'confirm.opened' }
  | { readonly type: 'fixing.started' }
  | { readonly type: 'fixing.ended'; readonly told: string }
  | { readonly type: 'help.toggled' }
  | { readonly type: 'back' };

/** The screen before the first look. */
export function startDoctorScreen(names: readonly string[]): DoctorScreenState {
  return {
    names,
    checks: {},
    again: new Set(),
    run: 0,
    chosen: undefined,
    opened: false,
    confirming: false,
    scrolled: 0,
    fixing: false,
    told: undefined,
    help: false,
  };
}

/** The screen after an event; pure. */
export function reduceDoctorScreen(
  state: DoctorScreenState,
  event: DoctorScreenEvent,
): DoctorScreenState {
  switch (event.type) {
    case 'look.started':
      return { ...state, run: state.run + 1, again: new Set(event.checks) };
    case 'look.told':
      return event.run === state.run ? told(state, event.event) : state;
    case 'moved':
      return state.confirming ? scroll(state, event.by) : move(state, event.by);
    case 'fix.toggled':
      return { ...state, opened: !state.opened, confirming: false };
    case 'fix.opened':
      return { ...state, opened: true, confirming: false };
    case 'confirm.opened':
      return { ...state, confirming: true, scrolled: 0 };
    case 'fixing.started':
      return { ...state, fixing: true, confirming: false, told: undefined };
    case 'fixing.ended':
      return { ...state, fixing: false, opened: false, told: event.told };
    case 'help.toggled':
      return { ...state, help: !state.help };
    case 'back':
      return { ...state, help: false, confirming: false, opened: false };
  }
}

function told(state: DoctorScreenState, event: DoctorEvent): DoctorScreenState {
  const name = event.type === 'check.started' ? event.check : event.result.check;
  const known = state.checks[name];
  if (event.type === 'check.started') {
    return { ...state, checks: { ...state.checks, [name]: known ?? 'running' } };
  }
  const again = new Set(state.again);
  again.delete(name);
  // The worst is chosen until the person chooses; then theirs stays while others appear above it.
  const isTheirs = state.chosen !== undefined || state.opened;
  const chosen = isTheirs ? chosenFinding(state)?.key : undefined;
  return { ...state, again, chosen, checks: { ...state.checks, [name]: event.result } };
}

/** The outcomes that there are, in the order of the checks. */
export function finishedChecks({ names, checks }: DoctorScreenState): readonly CheckResult[] {
  return names.flatMap((name) => {
    const result = checks[name];
    return result === undefined || result === 'running' ? [] : [result];
  });
}

const SEVERITIES = ['fault', 'warning', 'note'] as const satisfies readonly Finding['severity'][];

/** All findings, the worst first, each with its key. */
export function shownFindings(state: DoctorScreenState): readonly ShownFinding[] {
  const findings = finishedChecks(state).flatMap(({ check, findings: found }) =>
    found.map((finding) => ({ check, finding, key: keyOf(check, finding) })),
  );
  return SEVERITIES.flatMap((severity) =>
    findings.filter(({ finding }) => finding.severity === severity),
  );
}

function keyOf(check: string, { code, message, place }: Finding): string {
  return JSON.stringify([check, code, message, place?.file, place?.line, place?.column]);
}

/** The one that keys act on: the first where the chosen one is gone. */
export function chosenFinding(state: DoctorScreenState): ShownFinding | undefined {
  const findings = shownFindings(state);
  return findings.find(({ key }) => key === state.chosen) ?? findings[0];
}

/** All fixes that may be done unasked. */
export function safeFindings(state: DoctorScreenState): readonly ShownFinding[] {
  return shownFindings(state).filter(({ finding }) => finding.fix?.safe === true);
}

function scroll(state: DoctorScreenState, by: number): DoctorScreenState {
  const lines = safeFindings(state).reduce(
    (sum, { finding: { fix } }) => sum + 1 + (fix?.diff.length ?? 0),
    0,
  );
  return { ...state, scrolled: Math.min(Math.max(state.scrolled + by, 0), lines - 1) };
}

function move(state: DoctorScreenState, by: number): DoctorScreenState {
  const findings = shownFindings(state);
  const at = findings.findIndex(({ key }) => key === chosenFinding(state)?.key);
  const next = findings[Math.min(Math.max(at + by, 0), findings.length - 1)];
  return { ...state, chosen: next?.key, opened: false, confirming: false };
}

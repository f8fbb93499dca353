import { CHECKS } from '../../../engine/embeddings/diagnosis/check-names.js';
import type {
  CheckName,
  CheckOutcome,
  Diagnosis,
  DiagnosisEvent,
} from '../../../engine/embeddings/index.js';
import type { SourceLocation } from '../../../engine/errors/index.js';
import { PANE_TOP, type PaneState } from '../../components/pane.js';

/** The state of the diagnostics screen. */
export interface ProviderScreenState {
  /** Checks that are running or have finished. */
  readonly checks: Readonly<Partial<Record<CheckName, CheckOutcome | 'running'>>>;
  /** Undefined while it runs. */
  readonly diagnosis: Diagnosis | undefined;
  readonly pane: PaneState;
  readonly isHelpOpen: boolean;
}

/** The screen before the first run. */
export const INITIAL_PROVIDER_SCREEN: ProviderScreenState = {
  checks: {},
  diagnosis: undefined,
  pane: PANE_TOP,
  isHelpOpen: false,
};

/** The screen after an event of the current run; pure. */
export function reduceProviderScreen(
  state: ProviderScreenState,
  event: DiagnosisEvent,
): ProviderScreenState {
  switch (event.type) {
    case 'check.started': {
      // Keep an outcome that arrived first.
      const known = state.checks[event.check] ?? 'running';
      return { ...state, checks: { ...state.checks, [event.check]: known } };
    }
    case 'check.finished':
      return { ...state, checks: { ...state.checks, [event.check]: event.outcome } };
    case 'diagnosis.finished':
      return { ...state, diagnosis: event.diagnosis };
  }
}

/** Checks of an external search program, in display order. */
const EXT_ORDER = [
  'program',
  'release',
  'collections',
  'question',
  'vectors',
] as const satisfies readonly CheckName[];

/** The checks to show, in order; those that did not run are left out once the diagnosis is complete. */
export function shownChecks({
  checks,
  diagnosis,
}: ProviderScreenState): readonly (readonly [CheckName, CheckOutcome | 'running' | 'waiting'])[] {
  const order: readonly CheckName[] = checks.program === undefined ? CHECKS : EXT_ORDER;
  return order.flatMap((check) => {
    const outcome = checks[check] ?? (diagnosis === undefined ? 'waiting' : undefined);
    return outcome === undefined ? [] : [[check, outcome] as const];
  });
}

/** The setting to open: that of the first check with a problem, otherwise of the first check that has one. */
export function settingToEdit(state: ProviderScreenState): SourceLocation | undefined {
  const withLocation = shownChecks(state).flatMap(([, outcome]) =>
    typeof outcome === 'string' || outcome.location === undefined ? [] : [outcome],
  );
  const problem = withLocation.find(({ state }) => state === 'failed' || state === 'warning');
  return (problem ?? withLocation[0])?.location;
}

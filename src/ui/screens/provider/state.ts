import type {
  CheckName,
  CheckOutcome,
  Diagnosis,
  DiagnosisEvent,
} from '../../../engine/embeddings/index.js';

/** The state of the diagnostics screen. */
export interface ProviderScreenState {
  /** Checks that are running or have finished. */
  readonly checks: Readonly<Partial<Record<CheckName, CheckOutcome | 'running'>>>;
  /** Undefined while it runs. */
  readonly diagnosis: Diagnosis | undefined;
  /** Number of the run; late events of an earlier run are ignored. */
  readonly run: number;
  readonly help: boolean;
}

/** Events of the diagnostics screen. */
export type ProviderScreenEvent =
  | { readonly type: 'run.started' }
  | { readonly type: 'told'; readonly run: number; readonly event: DiagnosisEvent }
  | { readonly type: 'help.toggled' }
  | { readonly type: 'help.closed' };

/** The screen before the first run. */
export const START_PROVIDER_SCREEN: ProviderScreenState = {
  checks: {},
  diagnosis: undefined,
  run: 0,
  help: false,
};

/** The screen after an event; pure. */
export function reduceProviderScreen(
  state: ProviderScreenState,
  event: ProviderScreenEvent,
): ProviderScreenState {
  switch (event.type) {
    case 'run.started':
      return { ...state, checks: {}, diagnosis: undefined, run: state.run + 1 };
    case 'told':
      return event.run === state.run ? told(state, event.event) : state;
    case 'help.toggled':
      return { ...state, help: !state.help };
    case 'help.closed':
      return state.help ? { ...state, help: false } : state;
  }
}

function told(state: ProviderScreenState, event: DiagnosisEvent): ProviderScreenState {
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

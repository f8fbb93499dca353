import { type ReactElement, useEffect, useState } from 'react';
import { CHECKS } from '../../../engine/embeddings/diagnosis/check-names.js';
import type {
  CheckName,
  CheckOutcome,
  Diagnosis,
  DiagnosisEvent,
} from '../../../engine/embeddings/index.js';
import type { SourceLocation } from '../../../engine/errors/index.js';
import { deferred } from '../../../engine/support/async.js';
import {
  barKey,
  type KeyBinding,
  type KeyMap,
  moveKeys,
  quitKey,
  withHelp,
} from '../../components/key-map.js';
import { createLatestTask } from '../../components/latest-task.js';
import {
  PANE_TOP,
  Pane,
  type PaneEvent,
  type PaneState,
  reducePane,
} from '../../components/pane.js';
import { Rows, useStyle } from '../../components/rows.js';
import { Screen } from '../../components/screen.js';
import { createState, type StateStore, useStore } from '../../components/store.js';
import { type CheckProgress, checkLines, verdictLines } from '../../provider/check-lines.js';
import { safeLine } from '../../safe-text.js';
import {
  type MountedScreen,
  type RunScreenOptions,
  runScreen,
} from '../../terminal/mount-screen.js';

/** What the command passes to the diagnostics screen. */
export interface ProviderScreenOptions extends RunScreenOptions {
  /** For example, `provider path of agent main`. */
  readonly title: string;
  /** Runs the checks once; called again when the user asks for it. */
  readonly start: (
    signal: AbortSignal,
    onEvent: (event: DiagnosisEvent) => void,
  ) => Promise<Diagnosis>;
  /** Opens the editor, which has the terminal until it ends; undefined where there is none. */
  readonly edit: ((place: SourceLocation) => Promise<void>) | undefined;
}

/** The result of the diagnostics screen. */
export interface ProviderScreenEnd {
  /** The last diagnosis; undefined if the user left before it was complete. */
  readonly diagnosis: Diagnosis | undefined;
  /** The setting that was chosen without an editor to come back from. */
  readonly placeToEdit: SourceLocation | undefined;
}

/** Shows a diagnosis until the user leaves. The terminal is always restored, without a trace of the screen. */
export async function runProviderScreen(
  options: ProviderScreenOptions,
): Promise<ProviderScreenEnd> {
  const store = createState(INITIAL_PROVIDER_SCREEN);
  let lastDiagnosis: Diagnosis | undefined;
  const { promise: ended, resolve: finish, reject: fail } = deferred<ProviderScreenEnd>();
  const checkTask = createLatestTask();
  const runChecks = (): void => {
    store.dispatch({ checks: {}, diagnosis: undefined });
    checkTask.run(
      (signal) =>
        options.start(signal, (event) => {
          if (!signal.aborted) store.dispatch(reduceProviderScreen(store.getSnapshot(), event));
        }),
      (diagnosis) => {
        lastDiagnosis = diagnosis;
      },
      fail,
    );
  };
  const leave = (placeToEdit?: SourceLocation): void =>
    finish({ diagnosis: lastDiagnosis, placeToEdit });
  let lend: MountedScreen['lend'] = (work) => work();
  const editAt = (place: SourceLocation): void => {
    const { edit } = options;
    if (edit === undefined) leave(place);
    else lend(() => edit(place)).catch(fail);
  };
  const view = (
    <ProviderScreen
      title={options.title}
      store={store}
      onRestart={runChecks}
      onEdit={editAt}
      onLeave={() => leave()}
    />
  );
  try {
    return await runScreen(view, options, {
      begin: (screen) => {
        lend = screen.lend;
        runChecks();
      },
      ended,
      leave: () => leave(),
    });
  } finally {
    checkTask.cancel();
  }
}

interface ProviderScreenState {
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
function shownChecks({
  checks,
  diagnosis,
}: ProviderScreenState): readonly (readonly [CheckName, CheckProgress])[] {
  const order: readonly CheckName[] = checks.program === undefined ? CHECKS : EXT_ORDER;
  return order.flatMap((check) => {
    const outcome = checks[check] ?? (diagnosis === undefined ? 'waiting' : undefined);
    return outcome === undefined ? [] : [[check, outcome] as const];
  });
}

/** The setting to open: that of the first check with a problem, otherwise of the first check that has one. */
function settingToEdit(state: ProviderScreenState): SourceLocation | undefined {
  const withLocation = shownChecks(state).flatMap(([, outcome]) =>
    typeof outcome === 'string' || outcome.location === undefined ? [] : [outcome],
  );
  const problem = withLocation.find(({ state }) => state === 'failed' || state === 'warning');
  return (problem ?? withLocation[0])?.location;
}

interface ProviderScreenProps extends Pick<ProviderScreenOptions, 'title'> {
  readonly store: StateStore<ProviderScreenState>;
  readonly onRestart: () => void;
  readonly onEdit: (place: SourceLocation) => void;
  readonly onLeave: () => void;
}

/** The diagnostics screen: its checks, and below them the conclusion. */
function ProviderScreen(props: ProviderScreenProps): ReactElement {
  const { store } = props;
  const style = useStyle();
  const state = useStore(store);
  const { diagnosis } = state;
  // How long a provider takes to answer is unknown.
  const spinner = useSpinner(Object.values(state.checks).includes('running'));
  return (
    <Screen
      title={`svc · ${safeLine(props.title)}`}
      facts={() => []}
      keys={() => keysOf(store.getSnapshot(), props)}
      isHelpOpen={state.isHelpOpen}
    >
      {(area) => {
        const { columns } = area;
        const verdict = diagnosis === undefined ? [] : verdictLines(diagnosis, { style, columns });
        const rows = Math.max(1, area.rows - verdict.length);
        return (
          <>
            <Pane
              state={state.pane}
              dispatch={(event) => store.dispatch(scrollPane(store.getSnapshot(), event))}
              text={(width) =>
                shownChecks(state).flatMap(([check, outcome]) =>
                  checkLines(check, outcome, { style, columns: width, spinner }),
                )
              }
              area={{ ...area, rows }}
            />
            <Rows lines={rows + verdict.length > area.rows ? [] : verdict} />
          </>
        );
      }}
    </Screen>
  );
}

function keysOf(
  state: ProviderScreenState,
  { store, onRestart, onEdit, onLeave }: ProviderScreenProps,
): KeyMap {
  const target = settingToEdit(state);
  const file = safeLine(target?.file.replace(/^.*[\\/]/u, '') ?? '');
  const scroll = moveKeys('scroll', (to) =>
    store.dispatch(scrollPane(store.getSnapshot(), { type: 'scrolled', to })),
  );
  const isLong = state.pane.length > state.pane.rows;
  const keys: readonly KeyBinding[] = [
    ...(isLong ? scroll : []),
    barKey('r refresh', 'test again', 3, onRestart),
    ...(target === undefined
      ? []
      : [
          barKey(`e open ${file}:${target.line}`, 'open the setting in $EDITOR', 2, () =>
            onEdit(target),
          ),
        ]),
  ];
  const quit = { ...quitKey(onLeave), on: ['q', 'ctrl-c', 'escape'] };
  const setHelp = (isHelpOpen: boolean): void => store.dispatch({ isHelpOpen });
  return { bindings: [...withHelp(keys, state.isHelpOpen, setHelp), quit] };
}

function scrollPane({ pane }: ProviderScreenState, event: PaneEvent): Partial<ProviderScreenState> {
  return { pane: reducePane(pane, event) };
}

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;
const SPINNER_MS = 100;

/** A sign that turns while work of unknown length runs; still, and without redraws, while none does. */
export function useSpinner(isRunning: boolean): string {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => setTurn((at) => (at + 1) % SPINNER.length), SPINNER_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  return SPINNER[turn] ?? SPINNER[0];
}

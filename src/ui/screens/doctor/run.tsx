import { type ReactElement, useSyncExternalStore } from 'react';
import type {
  AppliedFix,
  CheckResult,
  DoctorEvent,
  DoctorReport,
  FindingPlace,
  Fix,
} from '../../../engine/doctor/index.js';
import { formatCountOf } from '../../../engine/support/format.js';
import type { Style } from '../../style.js';
import { runAlternate } from '../../terminal/mount-alternate.js';
import type { ScreenStreams } from '../../terminal/session.js';
import { useTerminalSize } from '../../terminal/size.js';
import { createEnding } from '../ending.js';
import { useKeys } from '../keys.js';
import { Lines } from '../lines.js';
import { createStore, type Store } from '../store.js';
import { doctorFrame } from './frame.js';
import {
  chosenFinding,
  type DoctorScreenEvent,
  type DoctorScreenState,
  finishedChecks,
  reduceDoctorScreen,
  type ShownFinding,
  safeFindings,
  startDoctorScreen,
} from './state.js';

/** Options of the doctor screen. */
export interface DoctorScreenOptions extends ScreenStreams {
  readonly style: Style;
  readonly homeDir: string;
  /** All checks, in order. */
  readonly names: readonly string[];
  /** Runs these checks and reports their events. */
  readonly look: (
    checks: readonly string[],
    signal: AbortSignal,
    onEvent: (event: DoctorEvent) => void,
  ) => Promise<DoctorReport>;
  /** Applies a fix; the outcome says if it failed. */
  readonly apply: (check: string, fix: Fix, signal: AbortSignal) => Promise<AppliedFix>;
  /** Closes the screen as if the user had quit. */
  readonly signal: AbortSignal;
}

/** The result of the doctor screen. */
export interface DoctorScreenEnd {
  /** The latest result of every check; undefined if some never finished. */
  readonly results: readonly CheckResult[] | undefined;
  /** The location to open in the editor. */
  readonly edit: FindingPlace | undefined;
  /** Fixes that were applied, or failed. */
  readonly applied: readonly AppliedFix[];
}

/**
 * Shows checks while they run and until the user quits. The terminal is restored however it ends, after a running fix.
 */
export async function runDoctorScreen(options: DoctorScreenOptions): Promise<DoctorScreenEnd> {
  const { style, homeDir, names, stdout } = options;
  const store = createStore(startDoctorScreen(names), reduceDoctorScreen);
  const applied: AppliedFix[] = [];
  const { ended, finish, fail } = createEnding<FindingPlace | undefined>();
  const leave = (): void => finish(undefined);
  let running: AbortController | undefined;
  let fixing: Promise<void> = Promise.resolve();
  const look = (checks: readonly string[]): void => {
    // Checks that an earlier run did not reach are part of this one.
    const wanted = new Set([...store.getSnapshot().again, ...checks]);
    running?.abort();
    const own = new AbortController();
    running = own;
    store.dispatch({ type: 'look.started', checks: [...wanted] });
    const { run } = store.getSnapshot();
    options
      .look(
        names.filter((name) => wanted.has(name)),
        own.signal,
        (event) => store.dispatch({ type: 'look.told', run, event }),
      )
      .catch((error: unknown) => {
        if (running === own && !own.signal.aborted) fail(error);
      });
  };
  const fix = (findings: readonly ShownFinding[]): void => {
    store.dispatch({ type: 'fixing.started' });
    const own = new AbortController();
    fixing = fixEach(findings, (check, one) => options.apply(check, one, own.signal)).then(
      (outcomes) => {
        applied.push(...outcomes);
        store.dispatch({ type: 'fixing.ended', told: outcomeWords(outcomes) });
        const all = findings.some(({ finding }) => finding.fix?.changes === 'configuration');
        look(all ? names : findings.map(({ check }) => check));
      },
      fail,
    );
  };
  try {
    const edit = await runAlternate(
      <DoctorScreen
        store={store}
        stdout={stdout}
        style={style}
        homeDir={homeDir}
        onAgain={() => look(names)}
        onApply={() => {
          const state = store.getSnapshot();
          const chosen = chosenFinding(state);
          if (state.fixing || chosen?.finding.fix === undefined) return;
          if (state.opened) fix([chosen]);
          else store.dispatch({ type: 'fix.opened' });
        }}
        onApplyAll={() => {
          const state = store.getSnapshot();
          const safe = safeFindings(state);
          if (state.fixing || safe.length === 0) return;
          if (state.confirming) fix(safe);
          else store.dispatch({ type: 'confirm.opened' });
        }}
        onEdit={() => {
          const place = chosenFinding(store.getSnapshot())?.finding.place;
          if (place !== undefined) finish(place);
        }}
        onLeave={leave}
      />,
      options,
      {
        begin: () => look(names),
        // A fix is short and must not be interrupted.
        ended: ended.then((place) => fixing.then(() => place)),
        leave,
      },
    );
    const results = finishedChecks(store.getSnapshot());
    return { edit, applied, results: results.length < names.length ? undefined : results };
  } finally {
    running?.abort();
  }
}

async function fixEach(
  findings: readonly ShownFinding[],
  apply: (check: string, fix: Fix) => Promise<AppliedFix>,
): Promise<readonly AppliedFix[]> {
  const outcomes: AppliedFix[] = [];
  for (const { check, finding } of findings) {
    if (finding.fix !== undefined) outcomes.push(await apply(check, finding.fix));
  }
  return outcomes;
}

function outcomeWords(outcomes: readonly AppliedFix[]): string {
  const failed = outcomes.find(({ failure }) => failure !== undefined);
  if (failed !== undefined) return `not fixed: ${failed.title}: ${failed.failure ?? ''}`;
  const [only] = outcomes;
  if (outcomes.length === 1 && only !== undefined) return `fixed: ${only.title}`;
  return `${formatCountOf(outcomes.length, 'problem')} fixed`;
}

/** What the doctor's screen shows, and the callbacks for its keys. */
interface DoctorScreenProps {
  readonly store: Store<DoctorScreenState, DoctorScreenEvent>;
  readonly stdout: NodeJS.WriteStream;
  readonly style: Style;
  readonly homeDir: string;
  readonly onAgain: () => void;
  readonly onApply: () => void;
  readonly onApplyAll: () => void;
  readonly onEdit: () => void;
  readonly onLeave: () => void;
}

/** The doctor's screen: a pure view of the store. */
export function DoctorScreen(props: DoctorScreenProps): ReactElement {
  const { store, style, homeDir } = props;
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot);
  const size = useTerminalSize(props.stdout);
  const move = (by: number) => () => store.dispatch({ type: 'moved', by });
  const isOpen = state.help || state.confirming || state.opened;
  useKeys({
    named: {
      ctrlC: props.onLeave,
      escape: isOpen ? () => store.dispatch({ type: 'back' }) : props.onLeave,
      upArrow: move(-1),
      downArrow: move(1),
      return: () => store.dispatch({ type: 'fix.toggled' }),
    },
    typed: {
      q: props.onLeave,
      r: props.onAgain,
      a: props.onApply,
      A: props.onApplyAll,
      e: props.onEdit,
      j: move(1),
      k: move(-1),
      '?': () => store.dispatch({ type: 'help.toggled' }),
      '\r': () => store.dispatch({ type: 'fix.toggled' }),
    },
  });
  return <Lines lines={doctorFrame(state, { style, homeDir }, size)} />;
}

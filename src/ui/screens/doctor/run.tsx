import type { CheckResult, DoctorEvent, DoctorReport } from '../../../engine/doctor/check.js';
import type { FindingPlace, Mend } from '../../../engine/doctor/finding.js';
import type { AppliedMend } from '../../../engine/doctor/mend-all.js';
import { plural } from '../../doctor/words.js';
import type { Style } from '../../style.js';
import { createEnding } from '../ending.js';
import type { ScreenStreams } from '../mount.js';
import { mountAlternate } from '../mount-alternate.js';
import { createStore } from '../store.js';
import {
  chosenFinding,
  finishedChecks,
  reduceDoctorScreen,
  type ShownFinding,
  safeFindings,
  startDoctorScreen,
} from './state.js';
import { DoctorScreen } from './view.js';

/** What the doctor's screen needs of the command that opens it. */
export interface DoctorScreenOptions extends ScreenStreams {
  readonly style: Style;
  readonly homeDir: string;
  /** The names of all checks, in their order. */
  readonly names: readonly string[];
  /** Makes these checks; every event goes to the screen. */
  readonly look: (
    checks: readonly string[],
    signal: AbortSignal,
    onEvent: (event: DoctorEvent) => void,
  ) => Promise<DoctorReport>;
  /** Does a mend; what keeps it from being done is in the outcome. */
  readonly apply: (check: string, mend: Mend, signal: AbortSignal) => Promise<AppliedMend>;
  /** Ends the screen from outside; it ends as if the person had left. */
  readonly signal: AbortSignal;
}

/** How the doctor's screen ended. */
export interface DoctorScreenEnd {
  /** How every check came out last; undefined when some never ended. */
  readonly results: readonly CheckResult[] | undefined;
  /** The place to open in the editor, now that the terminal is the person's again. */
  readonly edit: FindingPlace | undefined;
  /** What was mended, or was tried to. */
  readonly applied: readonly AppliedMend[];
}

/**
 * Shows checks while they are made, and until the person leaves. The terminal is restored however it
 * ends, after a mend that is under way; nothing of the screen stays.
 */
export async function runDoctorScreen(options: DoctorScreenOptions): Promise<DoctorScreenEnd> {
  const { style, homeDir, names, stdout, signal } = options;
  const store = createStore(startDoctorScreen(names), reduceDoctorScreen);
  const applied: AppliedMend[] = [];
  const { ended, finish, fail } = createEnding<FindingPlace | undefined>();
  let running: AbortController | undefined;
  let mending: Promise<void> = Promise.resolve();
  const look = (checks: readonly string[]): void => {
    // What an earlier look had not come to is part of this one.
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
  const mend = (findings: readonly ShownFinding[]): void => {
    store.dispatch({ type: 'mending.started' });
    const own = new AbortController();
    mending = mendEach(findings, (check, one) => options.apply(check, one, own.signal)).then(
      (outcomes) => {
        applied.push(...outcomes);
        store.dispatch({ type: 'mending.ended', told: outcomeWords(outcomes) });
        const all = findings.some(({ finding }) => finding.mend?.changes === 'configuration');
        look(all ? names : findings.map(({ check }) => check));
      },
      fail,
    );
  };
  const screen = mountAlternate(
    <DoctorScreen
      store={store}
      stdout={stdout}
      style={style}
      homeDir={homeDir}
      onAgain={() => look(names)}
      onApply={() => {
        const state = store.getSnapshot();
        const chosen = chosenFinding(state);
        if (state.mending || chosen?.finding.mend === undefined) return;
        if (state.opened) mend([chosen]);
        else store.dispatch({ type: 'mend.opened' });
      }}
      onApplyAll={() => {
        const state = store.getSnapshot();
        const safe = safeFindings(state);
        if (state.mending || safe.length === 0) return;
        if (state.confirming) mend(safe);
        else store.dispatch({ type: 'confirm.opened' });
      }}
      onEdit={() => {
        const place = chosenFinding(store.getSnapshot())?.finding.place;
        if (place !== undefined) finish(place);
      }}
      onLeave={() => finish(undefined)}
    />,
    options,
  );
  const leave = (): void => finish(undefined);
  signal.addEventListener('abort', leave);
  try {
    if (signal.aborted) leave();
    else look(names);
    const edit = await Promise.race([ended, screen.failed]);
    // A mend is short, and half of one is what nobody wants.
    await mending;
    const results = finishedChecks(store.getSnapshot());
    return { edit, applied, results: results.length < names.length ? undefined : results };
  } finally {
    running?.abort();
    signal.removeEventListener('abort', leave);
    await screen.unmount();
  }
}

async function mendEach(
  findings: readonly ShownFinding[],
  apply: (check: string, mend: Mend) => Promise<AppliedMend>,
): Promise<readonly AppliedMend[]> {
  const outcomes: AppliedMend[] = [];
  for (const { check, finding } of findings) {
    if (finding.mend !== undefined) outcomes.push(await apply(check, finding.mend));
  }
  return outcomes;
}

function outcomeWords(outcomes: readonly AppliedMend[]): string {
  const failed = outcomes.find(({ failure }) => failure !== undefined);
  if (failed !== undefined) return `not mended: ${failed.title}: ${failed.failure ?? ''}`;
  const [only] = outcomes;
  if (outcomes.length === 1 && only !== undefined) return `mended: ${only.title}`;
  return `mended: ${plural(outcomes.length, 'finding')}`;
}

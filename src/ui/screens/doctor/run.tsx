import type {
  AppliedFix,
  CheckResult,
  DoctorEvent,
  DoctorReport,
  FindingPlace,
  Fix,
} from '../../../engine/doctor/index.js';
import { deferred } from '../../../engine/support/async.js';
import { type BrowserKeysOptions, createBrowser } from '../../components/browser.js';
import { BrowserScreen } from '../../components/browser-screen.js';
import { barKey } from '../../components/key-map.js';
import { createLatestTask } from '../../components/latest-task.js';
import { createState } from '../../components/store.js';
import type { View } from '../../style.js';
import {
  type MountedScreen,
  type RunScreenOptions,
  runScreen,
} from '../../terminal/mount-screen.js';
import {
  checkRows,
  countsOf,
  type DoctorScreenState,
  type FindingItem,
  findingColumns,
  findingsSource,
  finishedChecks,
  reduceDoctorScreen,
} from './view.js';

/** Options of the doctor screen. */
export interface DoctorScreenOptions extends Pick<View, 'homeDir'>, RunScreenOptions {
  /** All checks, in order. */
  readonly names: readonly string[];
  /** Runs these checks and reports their events. */
  readonly runChecks: (
    checks: readonly string[],
    signal: AbortSignal,
    onEvent: (event: DoctorEvent) => void,
  ) => Promise<DoctorReport>;
  /** Applies a fix; the outcome says if it failed. */
  readonly apply: (check: string, fix: Fix) => Promise<AppliedFix>;
  /** Opens the editor, which has the terminal until it ends; undefined where there is none. */
  readonly edit: ((place: FindingPlace) => Promise<void>) | undefined;
}

/** The result of the doctor screen. */
export interface DoctorScreenEnd {
  /** The latest result of every check; undefined if some never finished. */
  readonly results: readonly CheckResult[] | undefined;
  /** The location that was chosen without an editor to come back from. */
  readonly placeToEdit: FindingPlace | undefined;
  /** Fixes that were applied, or failed. */
  readonly applied: readonly AppliedFix[];
}

/** Checks that finish within this time are drawn together. */
const PACE_MS = 50;

/** Rows that the findings and the details of one need. */
const LEAST_ROWS = 8;

/**
 * Shows checks while they run and until the user quits. The terminal is restored however it ends, after a running fix.
 */
export async function runDoctorScreen(options: DoctorScreenOptions): Promise<DoctorScreenEnd> {
  const { style, homeDir, names } = options;
  const store = createState<DoctorScreenState>(
    { names, checks: {}, pending: new Set() },
    { everyMs: PACE_MS },
  );
  const applied: AppliedFix[] = [];
  const { promise: ended, resolve: finish, reject: fail } = deferred<FindingPlace | undefined>();
  const leave = (): void => finish(undefined);
  const checkTask = createLatestTask();
  const recheck = (checks: readonly string[]): void => {
    // Checks that an earlier run did not reach are part of this one.
    const pending = new Set([...store.getSnapshot().pending, ...checks]);
    store.dispatch({ pending });
    checkTask.run(
      (signal) =>
        options.runChecks(
          names.filter((name) => pending.has(name)),
          signal,
          (event) => {
            if (!signal.aborted) store.dispatch(reduceDoctorScreen(store.getSnapshot(), event));
          },
        ),
      () => undefined,
      fail,
    );
  };
  const fix = async (findings: readonly FindingItem[]): Promise<readonly AppliedFix[]> => {
    const outcomes: AppliedFix[] = [];
    try {
      for (const { check, finding } of findings) {
        if (finding.fix !== undefined) outcomes.push(await options.apply(check, finding.fix));
      }
    } catch (error) {
      fail(error);
      throw error;
    }
    applied.push(...outcomes);
    const changesConfig = findings.some(({ finding }) => finding.fix?.changes === 'configuration');
    recheck(changesConfig ? names : findings.map(({ check }) => check));
    return outcomes;
  };
  let lend: MountedScreen['lend'] = (work) => work();
  const editAt = (place: FindingPlace): void => {
    const { edit } = options;
    if (edit === undefined) finish(place);
    else lend(() => edit(place)).then(() => recheck(names), fail);
  };
  const browser = createBrowser(findingsSource({ state: store.getSnapshot, fix, style, homeDir }));
  const refresh = (): void => void browser.refresh();
  const unsubscribe = store.subscribe(refresh);
  const keys = (): BrowserKeysOptions => {
    const place = browser.getSnapshot().details?.item.finding.place;
    const extraKeys = [
      ...(place === undefined
        ? []
        : [barKey('e edit', 'open the location in $EDITOR', 3, () => editAt(place))]),
      barKey('r refresh', 'check again', 2, () => recheck(names)),
    ];
    return { noun: 'finding', onStop: leave, extraKeys };
  };
  const state = store.getSnapshot;
  const view = (
    <BrowserScreen
      browser={browser}
      title={() => 'svc · doctor'}
      facts={({ choice }) => [
        choice === 0 ? '' : (browser.choices[choice] ?? ''),
        ...countsOf(state()),
      ]}
      columns={() => findingColumns(style)}
      empty={() => (state().pending.size === 0 ? 'All is well.' : 'checking …')}
      keys={keys}
      around={(area, { list }) => {
        const checks = checkRows(state(), style, area.columns);
        // Findings matter more than the checks that found them.
        const hasRoom = list.items.length === 0 || area.rows - checks.length >= LEAST_ROWS;
        return { above: hasRoom ? checks : [] };
      }}
    />
  );
  try {
    const placeToEdit = await runScreen(view, options, {
      begin: (mounted) => {
        lend = mounted.lend;
        recheck(names);
      },
      // A fix is short and must not be interrupted.
      ended: ended.then((place) => browser.whenIdle().then(() => place)),
      leave,
    });
    const results = finishedChecks(store.getSnapshot());
    return { placeToEdit, applied, results: results.length < names.length ? undefined : results };
  } finally {
    unsubscribe();
    checkTask.cancel();
  }
}

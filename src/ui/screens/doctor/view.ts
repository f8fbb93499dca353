import type {
  AppliedFix,
  CheckResult,
  DoctorEvent,
  Finding,
  Fix,
} from '../../../engine/doctor/index.js';
import { formatCountOf } from '../../../engine/support/format.js';
import { renderDiff } from '../../code-frame.js';
import type { BrowserSource } from '../../components/browser-state.js';
import type { ListColumn } from '../../components/list.js';
import type { ListItem } from '../../components/list-state.js';
import {
  countFacts,
  type FindingLineOptions,
  findingBody,
  findingHead,
} from '../../doctor/finding-lines.js';
import { fitEnd, padEnd } from '../../fit.js';
import { safeLine } from '../../safe-text.js';
import { MARKS, paintedMark, type Style } from '../../style.js';

/** A finding, and the check that found it. The same finding of another run has the same id. */
export interface FindingItem extends ListItem {
  readonly check: string;
  readonly finding: Finding;
}

/** The checks of the doctor's screen. */
export interface DoctorScreenState {
  /** The names of all checks, in their order. */
  readonly names: readonly string[];
  /** Checks that are running or have finished. While one runs again, its last result stays. */
  readonly checks: Readonly<Record<string, CheckResult | 'running'>>;
  /** The names of checks that have yet to run, or run again. */
  readonly pending: ReadonlySet<string>;
}

/** The screen after an event of the current run; pure. */
export function reduceDoctorScreen(
  state: DoctorScreenState,
  event: DoctorEvent,
): DoctorScreenState {
  if (event.type === 'check.started') {
    const known = state.checks[event.check] ?? 'running';
    return { ...state, checks: { ...state.checks, [event.check]: known } };
  }
  const { result } = event;
  const pending = new Set(state.pending);
  pending.delete(result.check);
  return { ...state, pending, checks: { ...state.checks, [result.check]: result } };
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
export function findingItems(state: DoctorScreenState): readonly FindingItem[] {
  const findings = finishedChecks(state).flatMap(({ check, findings: found }) =>
    found.map((finding) => findingItem(check, finding)),
  );
  return SEVERITIES.flatMap((severity) =>
    findings.filter(({ finding }) => finding.severity === severity),
  );
}

function findingItem(check: string, finding: Finding): FindingItem {
  const { code, message, place, severity } = finding;
  const id = JSON.stringify([check, code, message, place?.file, place?.line, place?.column]);
  return { id, text: [check, severity, message, place?.file ?? ''].join(' '), check, finding };
}

function safeFindings(state: DoctorScreenState): readonly FindingItem[] {
  return findingItems(state).filter(({ finding }) => finding.fix?.safe === true);
}

/** What the screen lists, and how a fix is applied. */
interface FindingsOptions extends Omit<FindingLineOptions, 'columns'> {
  readonly state: () => DoctorScreenState;
  readonly fix: (findings: readonly FindingItem[]) => Promise<readonly AppliedFix[]>;
}

type Choice = 'all' | 'faults' | 'notes' | 'warnings';

/** Findings as the browser reads them. */
export function findingsSource(options: FindingsOptions): BrowserSource<FindingItem, Choice> {
  const { state, fix } = options;
  return {
    choices: ['all', 'faults', 'warnings', 'notes'],
    hasPreview: true,
    list: async (choice) => {
      const items = findingItems(state()).filter(
        ({ finding }) => choice === 'all' || `${finding.severity}s` === choice,
      );
      return { items };
    },
    details:
      async ({ finding }) =>
      (columns) =>
        findingRows(finding, { ...options, columns, context: 1 }),
    actions: [
      {
        key: 'a',
        name: 'apply',
        description: 'apply the fix, after a confirmation',
        appliesTo: ({ finding }) => finding.fix !== undefined,
        question: ({ finding }) => `apply: ${finding.fix?.title ?? ''}?`,
        changes:
          ({ finding }) =>
          (columns) =>
            fixRows(finding.fix, { ...options, columns }),
        run: async (finding) => outcomeWords(await fix([finding])),
      },
      {
        key: 'A',
        name: 'all safe',
        description: 'apply all safe fixes, after a confirmation',
        appliesTo: () => safeFindings(state()).length > 0,
        question: () =>
          `apply ${formatCountOf(safeFindings(state()).length, 'safe fix', 'safe fixes')}?`,
        changes: () => {
          const safe = safeFindings(state());
          return (columns) =>
            safe.flatMap(({ finding }) => fixRows(finding.fix, { ...options, columns }));
        },
        run: async () => outcomeWords(await fix(safeFindings(state()))),
      },
    ],
    explain: String,
  };
}

type RowOptions = FindingLineOptions & { readonly columns: number };

function findingRows(finding: Finding, options: RowOptions): readonly string[] {
  const { text: _, ...withoutText } = finding;
  return [
    ...findingHead(finding, options),
    ...findingBody(withoutText, options),
    // The changes of a fix already show the place.
    ...(finding.fix === undefined
      ? findingBody(onlyPlace(finding), options)
      : diffRows(finding.fix, options)),
  ];
}

function onlyPlace({ code, severity, message, place, text }: Finding) {
  return { code, severity, message, place, text };
}

function fixRows(fix: Fix | undefined, options: RowOptions): readonly string[] {
  if (fix === undefined) return [];
  return [fitEnd(`• ${safeLine(fix.title)}`, options.columns), ...diffRows(fix, options)];
}

function diffRows(fix: Fix, options: RowOptions): readonly string[] {
  const narrower = { ...options, columns: options.columns - 4 };
  return renderDiff(fix.diff, narrower).map((line) => `    ${line}`);
}

function outcomeWords(outcomes: readonly AppliedFix[]): string {
  const failed = outcomes.find(({ failure }) => failure !== undefined);
  if (failed !== undefined) return `not fixed: ${failed.title}: ${failed.failure ?? ''}`;
  const [only] = outcomes;
  if (outcomes.length === 1 && only !== undefined) return `fixed: ${only.title}`;
  return `${formatCountOf(outcomes.length, 'problem')} fixed`;
}

/** The columns of the list. */
export function findingColumns(style: Style): readonly ListColumn<FindingItem>[] {
  return [
    {
      title: '',
      cell: ({ finding: { severity, message } }) => `${MARKS[severity]} ${safeLine(message)}`,
      paint: (text, { finding: { severity } }) =>
        paintedMark(severity, style, text.slice(0, 1)) + text.slice(1),
    },
  ];
}

/** Counts of the findings by severity. */
export function countsOf(state: DoctorScreenState): readonly string[] {
  const findings = findingItems(state);
  const count = (severity: string): number =>
    findings.filter(({ finding }) => finding.severity === severity).length;
  return countFacts({
    ok: finishedChecks(state).filter((result) => result.state === 'ok').length,
    warnings: count('warning'),
    faults: count('fault'),
  });
}

/** All checks with their marks, in as many rows as needed. */
export function checkRows(
  state: DoctorScreenState,
  style: Style,
  columns: number,
): readonly string[] {
  const width = Math.max(...state.names.map((name) => name.length)) + 4;
  const perRow = Math.max(1, Math.floor(columns / width));
  const rows = Array.from({ length: Math.ceil(state.names.length / perRow) }, (_, row) => {
    const cells = state.names.slice(row * perRow, (row + 1) * perRow).map((name) => {
      const mark = markOf(state, name);
      return padEnd(`${paintedMark(mark, style)} ${name}`, width);
    });
    return cells.join('').trimEnd();
  });
  return [...rows, ''];
}

function markOf({ checks, pending }: DoctorScreenState, name: string) {
  const result = checks[name];
  if (result === undefined) return 'waiting';
  return result === 'running' || pending.has(name) ? 'running' : result.state;
}

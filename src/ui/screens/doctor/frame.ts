import type { CheckState } from '../../../engine/doctor/index.js';
import { formatCountOf } from '../../../engine/support/format.js';
import {
  countWords,
  diffOf,
  type FindingLineOptions,
  findingBody,
  findingHead,
  MARKS,
  paintOf,
  type WaitingState,
} from '../../doctor/finding-lines.js';
import { fitEnd, padEnd, spread, wrapText } from '../../fit.js';
import { safeLine } from '../../safe-text.js';
import type { Style } from '../../style.js';
import type { TerminalSize } from '../../terminal/size.js';
import { type FooterKey, fittingKeys, type KeyHelp, keyLines } from '../keys.js';
import { insideMargin, withMargin } from '../lines.js';
import {
  chosenFinding,
  type DoctorScreenState,
  finishedChecks,
  type ShownFinding,
  safeFindings,
  shownFindings,
} from './state.js';

const MAX_COLUMNS = 110;

const KEYS: readonly KeyHelp[] = [
  ['↑ ↓, k j', 'choose a finding'],
  ['enter', 'show what the fix changes'],
  ['a', 'apply the fix: show it, then press a again'],
  ['A', 'apply all safe fixes: list them, then press A again'],
  ['e', 'open the location in $EDITOR'],
  ['r', 'check again'],
  ['q, ctrl-c', 'quit'],
  ['?, esc', 'close help'],
];

/** How the frame is drawn. */
export interface DoctorFrameOptions {
  readonly style: Style;
  readonly homeDir: string;
}

/** The lines of the doctor's screen; never wider than the terminal, and always shorter. */
export function doctorFrame(
  state: DoctorScreenState,
  { style, homeDir }: DoctorFrameOptions,
  size: TerminalSize,
): readonly string[] {
  const { columns, rows: room } = insideMargin(size, MAX_COLUMNS, 8);
  const options = { style, homeDir, columns: columns - 2, context: 0 };
  const head = [headLine(state, style, columns), ...checkRow(state, style, columns)];
  const foot = [
    ...(state.told === undefined ? [] : [fitEnd(safeLine(state.told), columns)]),
    ...(state.help ? keyLines(KEYS, style, columns) : []),
    style.dim(footer(state, columns)),
  ];
  // Without room the head is dropped first: findings and keys matter more.
  const forBody = Math.max(0, room - foot.length);
  const kept = head.slice(0, Math.max(0, Math.min(head.length, forBody - MIN_BODY)));
  const body = bodyLines(state, options, forBody - kept.length);
  return withMargin([...kept, ...body, ...foot], room);
}

const MIN_BODY = 6;

function headLine(state: DoctorScreenState, style: Style, columns: number): string {
  const results = finishedChecks(state);
  const findings = shownFindings(state);
  const count = (severity: string): number =>
    findings.filter(({ finding }) => finding.severity === severity).length;
  const counts = countWords({
    ok: results.filter((result) => result.state === 'ok').length,
    warnings: count('warning'),
    faults: count('fault'),
  });
  // The counts matter most, so they are kept when the line is too narrow.
  const line = spread('svc · doctor', counts, columns);
  return line.includes(counts) ? style.bold(line) : style.bold(fitEnd(counts, columns));
}

/** All checks with their marks, in as many rows as needed. */
function checkRow(state: DoctorScreenState, style: Style, columns: number): readonly string[] {
  const cells = state.names.map((name) => {
    const mark = markOf(state, name);
    return {
      plain: `${MARKS[mark]} ${name}`,
      painted: `${paintOf(mark, style)(MARKS[mark])} ${name}`,
    };
  });
  const width = Math.max(...cells.map(({ plain }) => plain.length)) + 2;
  const perRow = Math.max(1, Math.floor(columns / width));
  const rows: string[] = [];
  for (let at = 0; at < cells.length; at += perRow) {
    const row = cells.slice(at, at + perRow);
    rows.push(
      row
        .map(({ painted }) => padEnd(painted, width))
        .join('')
        .trimEnd(),
    );
  }
  return [...rows, ''];
}

function markOf({ checks, again }: DoctorScreenState, name: string): CheckState | WaitingState {
  const result = checks[name];
  if (result === undefined) return 'waiting';
  return result === 'running' || again.has(name) ? 'running' : result.state;
}

function bodyLines(
  state: DoctorScreenState,
  options: FindingLineOptions & { readonly columns: number },
  room: number,
): readonly string[] {
  if (room <= 0) return [];
  if (state.confirming) {
    const [head = '', ...fixes] = confirmLines(state, options);
    const from = Math.max(0, Math.min(state.scrolled, fixes.length - (room - 1)));
    return [head, ...fixes.slice(from, from + room - 1)];
  }
  const findings = shownFindings(state);
  if (findings.length === 0) return [state.again.size === 0 ? 'All is well.' : 'Looking …'];
  const chosen = chosenFinding(state);
  const blocks = findings.map((shown) => ({
    isChosen: shown.key === chosen?.key,
    lines: blockOf(shown, shown.key === chosen?.key, state.opened, options),
  }));
  return windowOf(blocks, room);
}

function blockOf(
  { finding }: ShownFinding,
  isChosen: boolean,
  opened: boolean,
  options: FindingLineOptions,
): readonly string[] {
  const head = findingHead(finding, options);
  // One line each, so that many fit; the chosen one is whole.
  if (!isChosen) {
    const more = head.length > 1 ? '…' : '';
    return head.slice(0, 1).map((line) => `  ${line}${more}`);
  }
  const { fix } = finding;
  const below =
    opened && fix !== undefined
      ? [
          ...wrapAll([`  ${safeLine(fix.title)}:`], options),
          ...diffOf(fix, { ...options, columns: (options.columns ?? 80) - 4 }).map(
            (line) => `    ${line}`,
          ),
        ]
      : findingBody(finding, options);
  return [...head, ...below].map((line, at) => `${at === 0 ? '❯ ' : '  '}${line}`);
}

function wrapAll(lines: readonly string[], { columns }: FindingLineOptions): readonly string[] {
  return lines.flatMap((line) => wrapText(line, columns));
}

/** The chosen block whole, as far as there is room, and what fits of those around it. */
function windowOf(
  blocks: readonly { readonly isChosen: boolean; readonly lines: readonly string[] }[],
  room: number,
): readonly string[] {
  const at = Math.max(
    0,
    blocks.findIndex(({ isChosen }) => isChosen),
  );
  const own = (blocks[at]?.lines ?? []).slice(0, room);
  const after = blocks.slice(at + 1).flatMap(({ lines }) => lines);
  const before = blocks.slice(0, at).flatMap(({ lines }) => lines);
  const rest = room - own.length;
  const below = Math.min(after.length, Math.max(Math.ceil(rest / 2), rest - before.length));
  const above = Math.min(before.length, rest - below);
  return [...before.slice(before.length - above), ...own, ...after.slice(0, below)];
}

function confirmLines(
  state: DoctorScreenState,
  options: FindingLineOptions & { readonly columns: number },
): readonly string[] {
  const { style, columns } = options;
  const safe = safeFindings(state);
  return [
    style.bold(
      fitEnd(
        `${formatCountOf(safe.length, 'safe fix', 'safe fixes')}; press A again to apply, esc to cancel:`,
        columns,
      ),
    ),
    ...safe.flatMap(({ finding: { fix } }) =>
      fix === undefined
        ? []
        : [
            fitEnd(`• ${safeLine(fix.title)}`, columns),
            ...diffOf(fix, { ...options, columns: columns - 4 }).map((line) => `    ${line}`),
          ],
    ),
  ];
}

function footer(state: DoctorScreenState, columns: number): string {
  if (state.fixing) return fitEnd('fixing …   q quit', columns);
  if (state.confirming) return fitEnd('A apply   ↑↓ scroll   esc back   q quit', columns);
  const hasFix = chosenFinding(state)?.finding.fix !== undefined;
  const keys: readonly FooterKey[] = [
    { text: '↑↓ choose', shown: shownFindings(state).length > 1, goes: 1 },
    { text: state.opened ? '⏎ hide fix' : '⏎ show fix', shown: hasFix, goes: 4 },
    { text: 'a apply', shown: hasFix, goes: 6 },
    { text: 'A all safe', shown: safeFindings(state).length > 0, goes: 5 },
    { text: 'r refresh', shown: true, goes: 2 },
    { text: '? help', shown: true, goes: 7 },
    { text: 'q quit', shown: true, goes: 8 },
  ];
  return fittingKeys(keys, columns);
}

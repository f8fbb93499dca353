import type { CheckState } from '../../../engine/doctor/check.js';
import {
  diffOf,
  type FindingLineOptions,
  findingBody,
  findingHead,
} from '../../doctor/finding-lines.js';
import { countWords, MARKS, paintOf, plural, type WaitingState } from '../../doctor/words.js';
import { EXACT_MEASURE, fitEnd, padEnd, spread } from '../../fit.js';
import { safeLine } from '../../safe-text.js';
import type { Style } from '../../style.js';
import { wrapSpans } from '../../wrap.js';
import { type FooterKey, fittingKeys, type KeyHelp, keyLines } from '../keys.js';
import { insideMargin, withMargin } from '../margin.js';
import type { TerminalSize } from '../terminal-size.js';
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
  ['enter', 'show what its mend changes'],
  ['a', 'show it, and a again does it'],
  ['A', 'show all safe mends, and A again does them'],
  ['e', 'open the place in $EDITOR'],
  ['r', 'look again'],
  ['q, ctrl-c', 'leave'],
  ['?, esc', 'close this list'],
];

/** How the frame is drawn. */
export interface DoctorFrameOptions {
  readonly style: Style;
  readonly homeDir: string;
}

/** The lines of the doctor's screen at a size; never wider, and never as tall as the terminal. */
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
  // Where there is no room the head goes first: what is wrong stands below, and the keys last.
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
  // The counts are what the screen is for.
  const line = spread('svc · doctor', counts, columns);
  return line.includes(counts) ? style.bold(line) : style.bold(fitEnd(counts, columns));
}

/** All checks beside each other, each with its mark; as many rows as it takes. */
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
  if (state.confirming) return confirmLines(state, options).slice(0, room);
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
  const { mend } = finding;
  const below =
    opened && mend !== undefined
      ? [
          ...wrapAll([`  ${safeLine(mend.title)}:`], options),
          ...diffOf(mend, { ...options, columns: (options.columns ?? 80) - 4 }).map(
            (line) => `    ${line}`,
          ),
        ]
      : findingBody(finding, options);
  return [...head, ...below].map((line, at) => `${at === 0 ? '❯ ' : '  '}${line}`);
}

function wrapAll(lines: readonly string[], { columns }: FindingLineOptions): readonly string[] {
  if (columns === undefined) return lines;
  return lines.flatMap((line) =>
    wrapSpans(line, columns, EXACT_MEASURE).map((span) => line.slice(span.start, span.end)),
  );
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
      fitEnd(`${plural(safe.length, 'safe mend')}; A again does them, esc does not:`, columns),
    ),
    ...safe.flatMap(({ finding: { mend } }) =>
      mend === undefined
        ? []
        : [
            fitEnd(`• ${safeLine(mend.title)}`, columns),
            ...diffOf(mend, { ...options, columns: columns - 4 }).map((line) => `    ${line}`),
          ],
    ),
  ];
}

function footer(state: DoctorScreenState, columns: number): string {
  if (state.mending) return fitEnd('mending …   q leave', columns);
  if (state.confirming) return fitEnd('A do them   esc back   q leave', columns);
  const hasMend = chosenFinding(state)?.finding.mend !== undefined;
  const keys: readonly FooterKey[] = [
    { text: '↑↓ choose', shown: shownFindings(state).length > 1, goes: 1 },
    { text: state.opened ? '⏎ hide mend' : '⏎ show mend', shown: hasMend, goes: 4 },
    { text: 'a apply', shown: hasMend, goes: 6 },
    { text: 'A all safe', shown: safeFindings(state).length > 0, goes: 5 },
    { text: 'r again', shown: true, goes: 2 },
    { text: '? keys', shown: true, goes: 7 },
    { text: 'q leave', shown: true, goes: 8 },
  ];
  return fittingKeys(keys, columns);
}

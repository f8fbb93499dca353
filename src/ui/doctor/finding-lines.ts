import type {
  AppliedFix,
  CheckResult,
  DoctorReport,
  Finding,
  FindingPlace,
} from '../../engine/doctor/index.js';
import { formatCount, formatCountOf } from '../../engine/support/format.js';
import { frameSource, renderCodeFrame, renderDiff } from '../code-frame.js';
import { fitEnd, padEnd, textWidth, wrapSafe } from '../fit.js';
import { safeLine, shownPath } from '../safe-text.js';
import { paintedMark, type View } from '../style.js';

/** How findings are shown. */
export interface FindingLineOptions extends Pick<View, 'columns' | 'homeDir' | 'style'> {
  /** Lines shown before and after a place; 2 by default. */
  readonly context?: number;
}

/** The first line of a finding, or several if it does not fit. */
export function findingHead(
  { severity, message, place }: Finding,
  { style, columns, homeDir }: FindingLineOptions,
): readonly string[] {
  const mark = paintedMark(severity, style);
  const [first = '', ...rest] = wrapSafe(message, columns, 2);
  const location = place === undefined ? '' : placeText(place, shownPath(place.file, homeDir));
  const isOneLine =
    rest.length === 0 &&
    (columns === undefined || 2 + textWidth(`${first}  ${location}`) <= columns);
  if (location !== '' && isOneLine) return [`${mark} ${first}  ${style.dim(location)}`];
  const below = location === '' ? [] : wrapSafe(location, columns, 2).map(style.dim);
  return [`${mark} ${first}`, ...[...rest, ...below].map((line) => `  ${line}`)];
}

/** The cause of a finding, the lines around it, the hint and the fix. */
export function findingBody(finding: Finding, options: FindingLineOptions): readonly string[] {
  const { style, columns } = options;
  const { cause, hint, fix } = finding;
  const lines = [
    ...(cause === undefined ? [] : wrapSafe(cause, columns, 2)),
    ...frameLines(finding, options).map((line) => style.dim(line)),
    ...(hint === undefined ? [] : wrapSafe(`→ ${hint}`, columns, 2)),
    ...(fix === undefined
      ? []
      : wrapSafe(`${fix.safe ? 'safe fix' : 'fix'}: ${fix.title}`, columns, 2)),
  ];
  return lines.map((line) => `  ${line}`);
}

function frameLines(
  { place, text }: Finding,
  { columns, context = 2 }: FindingLineOptions,
): readonly string[] {
  if (text === undefined || place?.line === undefined) return [];
  const width = Math.max(20, (columns ?? 100) - 14);
  const { line, column = 1 } = place;
  const frame = renderCodeFrame(frameSource(text), { line, column }, { width, context }).split(
    '\n',
  );
  return columns === undefined ? frame : frame.map((row) => fitEnd(row, columns - 2));
}

/** `9 ok`, `1 warning`, `2 faults`. */
export function countFacts({
  ok,
  warnings,
  faults,
}: DoctorReport['counts']): readonly [string, string, string] {
  return [
    `${formatCount(ok)} ok`,
    formatCountOf(warnings, 'warning'),
    formatCountOf(faults, 'fault'),
  ];
}

/** `svc.json:4:5`, a form that editors and terminals understand. */
function placeText({ line, column }: FindingPlace, file: string): string {
  if (line === undefined) return file;
  return column === undefined ? `${file}:${line}` : `${file}:${line}:${column}`;
}

const NAME_COLUMNS = 15;

/** The whole report as text. */
export function renderDoctor(
  report: DoctorReport,
  applied: readonly AppliedFix[],
  options: FindingLineOptions,
): string {
  const { style } = options;
  const lines = [
    ...applied.map((fix) => appliedLine(fix, options)),
    ...(applied.length === 0 ? [] : ['']),
    `${style.bold('svc · doctor')}  ${countFacts(report.counts).join(' · ')}`,
    ...report.checks.flatMap((result) => checkLines(result, options)),
    ...endLines(report, applied),
  ];
  return `${lines.join('\n')}\n`;
}

function appliedLine({ title, failure }: AppliedFix, { style }: FindingLineOptions): string {
  if (failure === undefined) return `${style.ok('fixed')}  ${safeLine(title)}`;
  return `${style.fault('not fixed')}  ${safeLine(title)}: ${safeLine(failure)}`;
}

function checkLines(result: CheckResult, options: FindingLineOptions): readonly string[] {
  const inner = narrowed(options, 2);
  const findings = result.findings.flatMap((finding) => [
    ...findingHead(finding, inner),
    ...findingBody(finding, inner),
    ...(finding.fix === undefined
      ? []
      : renderDiff(finding.fix.diff, narrowed(inner, 4)).map((line) => `    ${line}`)),
  ]);
  return [checkLine(result, options), ...findings.map((line) => `  ${line}`)];
}

function narrowed(options: FindingLineOptions, by: number): FindingLineOptions {
  const { columns } = options;
  return columns === undefined ? options : { ...options, columns: columns - by };
}

/** A check as one line: its state and what was checked. */
function checkLine(
  { check, state, summary }: CheckResult,
  { style, columns, homeDir }: FindingLineOptions,
): string {
  const mark = paintedMark(state, style);
  // Some name several paths.
  const text = summary
    .split(', ')
    .map((part) => shownPath(part, homeDir))
    .join(', ');
  const fitted = columns === undefined ? text : fitEnd(text, columns - NAME_COLUMNS - 2);
  return `${mark} ${padEnd(check, NAME_COLUMNS)}${style.dim(fitted)}`.trimEnd();
}

/** @param applied those that failed would fail again */
function endLines({ ok, checks }: DoctorReport, applied: readonly AppliedFix[]): readonly string[] {
  const failed = new Set(applied.filter(({ failure }) => failure).map(({ title }) => title));
  const fixes = checks.flatMap(({ findings }) => findings.flatMap(({ fix }) => fix ?? []));
  const safeCount = fixes.filter((fix) => fix.safe && !failed.has(fix.title)).length;
  const safeFixes = formatCountOf(safeCount, 'safe fix', 'safe fixes');
  if (safeCount > 0) return ['', `run it again with --fix to apply ${safeFixes}`];
  return ok ? [] : ['', 'the remaining problems have to be fixed by hand'];
}

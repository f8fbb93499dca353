import type { CheckResult, DoctorReport } from '../../engine/doctor/check.js';
import type { AppliedMend } from '../../engine/doctor/mend-all.js';
import { fitEnd, padEnd } from '../fit.js';
import { safeLine } from '../safe-text.js';
import { shownPath } from '../shown-path.js';
import { diffOf, type FindingLineOptions, findingBody, findingHead } from './finding-lines.js';
import { countWords, MARKS, paintOf, plural } from './words.js';

const NAME_COLUMNS = 15;

/** What the doctor found, whole: the plain twin of its screen. */
export function renderDoctor(
  report: DoctorReport,
  applied: readonly AppliedMend[],
  options: FindingLineOptions,
): string {
  const { style } = options;
  const lines = [
    ...applied.map((mend) => appliedLine(mend, options)),
    ...(applied.length === 0 ? [] : ['']),
    `${style.bold('svc · doctor')}  ${countWords(report.counts)}`,
    ...report.checks.flatMap((result) => checkLines(result, options)),
    ...endLines(report),
  ];
  return `${lines.join('\n')}\n`;
}

function appliedLine({ title, failure }: AppliedMend, { style }: FindingLineOptions): string {
  if (failure === undefined) return `${style.green('mended')}  ${safeLine(title)}`;
  return `${style.red('not mended')}  ${safeLine(title)}: ${safeLine(failure)}`;
}

function checkLines(result: CheckResult, options: FindingLineOptions): readonly string[] {
  const inner = narrowed(options, 2);
  const findings = result.findings.flatMap((finding) => [
    ...findingHead(finding, inner),
    ...findingBody(finding, inner),
    ...(finding.mend === undefined
      ? []
      : diffOf(finding.mend, narrowed(inner, 4)).map((line) => `    ${line}`)),
  ]);
  return [checkLine(result, options), ...findings.map((line) => `  ${line}`)];
}

function narrowed(options: FindingLineOptions, by: number): FindingLineOptions {
  const { columns } = options;
  return columns === undefined ? options : { ...options, columns: columns - by };
}

/** A check as one line: how it came out, and what was looked at. */
function checkLine(
  { check, state, summary }: CheckResult,
  { style, columns, homeDir }: FindingLineOptions,
): string {
  const mark = paintOf(state, style)(MARKS[state]);
  const words = shownPath(summary, homeDir);
  const shown = columns === undefined ? words : fitEnd(words, columns - NAME_COLUMNS - 2);
  return `${mark} ${padEnd(check, NAME_COLUMNS)}${style.dim(shown)}`.trimEnd();
}

function endLines({ ok, checks }: DoctorReport): readonly string[] {
  const mends = checks.flatMap(({ findings }) => findings.flatMap(({ mend }) => mend ?? []));
  const safe = mends.filter((mend) => mend.safe).length;
  if (safe > 0) return ['', `svc config doctor --fix does the ${plural(safe, 'safe mend')}`];
  return ok ? [] : ['', 'what is left has to be mended by hand'];
}

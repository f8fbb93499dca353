import type { Finding, Mend } from '../../engine/doctor/finding.js';
import { renderCodeFrame } from '../code-frame.js';
import { renderDiff } from '../diff-lines.js';
import { EXACT_MEASURE, fitEnd, textWidth } from '../fit.js';
import { safeLine } from '../safe-text.js';
import { shownPath } from '../shown-path.js';
import type { Style } from '../style.js';
import { wrapSpans } from '../wrap.js';
import { MARKS, paintOf, placeText } from './words.js';

/** How findings are shown. */
export interface FindingLineOptions {
  readonly style: Style;
  /** Width to wrap to; undefined (a pipe) leaves every line whole. */
  readonly columns: number | undefined;
  readonly homeDir: string;
  /** Lines shown before and after a place; 2 unless said otherwise. */
  readonly context?: number;
}

/** One finding as a line, and where that does not fit, as several. */
export function findingHead(finding: Finding, options: FindingLineOptions): readonly string[] {
  const { style, columns, homeDir } = options;
  const { severity, place } = finding;
  const mark = paintOf(severity, style)(MARKS[severity]);
  const shown = place === undefined ? '' : placeText(place, shownPath(place.file, homeDir));
  const [first = '', ...rest] = wrapped(finding.message, columns, 2);
  const beside = `${first}  ${shown}`;
  const fits = columns === undefined || textWidth(beside) + 2 <= columns;
  if (shown === '' || (rest.length === 0 && fits)) {
    const aside = shown === '' ? '' : `  ${style.dim(shown)}`;
    return [`${mark} ${first}${aside}`, ...rest.map((line) => `  ${line}`)];
  }
  const below = wrapped(shown, columns, 2).map((line) => style.dim(line));
  return [`${mark} ${first}`, ...[...rest, ...below].map((line) => `  ${line}`)];
}

/** What is known of a finding: its cause, the lines around it, and what to do. */
export function findingBody(finding: Finding, options: FindingLineOptions): readonly string[] {
  const { style, columns } = options;
  const { cause, excerpt, hint, mend } = finding;
  const lines = [
    ...(cause === undefined ? [] : wrapped(cause, columns, 2)),
    ...(excerpt === undefined ? [] : frameLines(excerpt, options).map((line) => style.dim(line))),
    ...(hint === undefined ? [] : wrapped(`→ ${hint}`, columns, 2)),
    ...(mend === undefined
      ? []
      : wrapped(`${mend.safe ? 'safe mend' : 'mend'}: ${mend.title}`, columns, 2)),
  ];
  return lines.map((line) => `  ${line}`);
}

/** What a mend changes. */
export function diffOf({ diff }: Mend, options: FindingLineOptions): readonly string[] {
  return renderDiff(diff, options);
}

function frameLines(
  { lines, line, column, firstLine }: NonNullable<Finding['excerpt']>,
  { columns, context = 2 }: FindingLineOptions,
): readonly string[] {
  const place = { line: line - firstLine + 1, column };
  const width = Math.max(20, (columns ?? 100) - 14);
  const frame = renderCodeFrame(lines.join('\n'), place, { width, firstLine, context }).split('\n');
  return columns === undefined ? frame : frame.map((line) => fitEnd(line, columns - 2));
}

function wrapped(text: string, columns: number | undefined, indent: number): readonly string[] {
  const line = safeLine(text);
  if (columns === undefined) return [line];
  const spans = wrapSpans(line, columns - indent, EXACT_MEASURE);
  return spans.map((span) => line.slice(span.start, span.end).trimEnd());
}

import type { CheckName, CheckOutcome, Diagnosis } from '../../engine/embeddings/index.js';
import { formatCount, formatCountOf, formatDuration } from '../../engine/support/format.js';
import { padEnd, textWidth, wrapSafe, wrapText } from '../fit.js';
import { modelWords } from '../memory/words.js';
import { safeLine } from '../safe-text.js';
import { MARKS, markPaint, type Paint, paintedMark, type Style, type View } from '../style.js';

/** How checks are shown. */
export interface CheckLineOptions extends Pick<View, 'columns' | 'style'> {
  /** The mark of running checks, where it can turn. */
  readonly spinner?: string;
}

/** The outcome of a check, or its state until then. */
export type CheckProgress = CheckOutcome | 'running' | 'waiting';

const LABEL_COLUMNS = 12;
/** The note of a longer text is below it, so that notes have one column. */
const TEXT_COLUMNS = 28;
const INDENT = ' '.repeat(2 + LABEL_COLUMNS);
/** In a narrow terminal, explanations start further left. */
const NARROW_INDENT = ' '.repeat(4);
const NARROW = 50;

/** A check as one line, with cause and hint below it. */
export function checkLines(
  check: CheckName,
  progress: CheckProgress,
  { style, columns, spinner = MARKS.running }: CheckLineOptions,
): readonly string[] {
  if (progress === 'waiting') return [`${paintedMark('waiting', style)} ${style.dim(check)}`];
  if (progress === 'running') return [`${paintedMark('running', style, spinner)} ${check}`];
  const { state, cause, hint } = progress;
  const indent = columns !== undefined && columns < NARROW ? NARROW_INDENT : INDENT;
  const wrap = (words: string, before = indent): readonly string[] =>
    wrapSafe(words, columns, before.length);
  const whole = check === 'embed' ? modelWords(progress.text) : progress.text;
  const [text = '', ...textRest] = wrap(whole, INDENT);
  const note = safeLine(noteOf(check, progress));
  const withNote = `${padEnd(text, TEXT_COLUMNS)}  ${note}`;
  const isNoteBeside =
    note !== '' &&
    textRest.length === 0 &&
    textWidth(text) <= TEXT_COLUMNS &&
    (columns === undefined || INDENT.length + textWidth(withNote) <= columns);
  const first = isNoteBeside ? `${padEnd(text, TEXT_COLUMNS)}  ${style.dim(note)}` : text;
  const below = [
    ...textRest,
    ...(note === '' || isNoteBeside ? [] : wrap(note).map(style.dim)),
    ...(cause === undefined ? [] : wrap(cause).map(markPaint(state, style))),
    ...(hint === undefined ? [] : wrap(`→ ${hint}`)),
  ];
  const head = `${paintedMark(state, style)} ${padEnd(check, LABEL_COLUMNS)}${first}`;
  return [head, ...below.map((line) => indent + line)];
}

function noteOf(check: CheckName, outcome: CheckOutcome): string {
  const { note, location, dimensions, passages, latencyMs, state, code } = outcome;
  const file = location?.file.replace(/^.*[\\/]/u, '');
  const place = location === undefined ? undefined : `${file}:${location.line}`;
  const parts = [
    check === 'selected' && place !== undefined ? `${place} ${note ?? ''}`.trimEnd() : note,
    state === 'failed' ? code : undefined,
    passages === undefined
      ? undefined
      : `${formatCount(passages.done)} of ${formatCountOf(passages.all, 'passage')}`,
    dimensions === undefined ? undefined : `${formatCount(dimensions)} dimensions`,
    latencyMs === undefined ? undefined : formatDuration(latencyMs),
    check === 'selected' ? undefined : place,
  ];
  return parts.filter((part) => part !== undefined && part !== '').join(' · ');
}

/** The diagnosis as plain text. */
export function renderDiagnosis(
  diagnosis: Diagnosis,
  title: string,
  options: CheckLineOptions,
): string {
  const columns = options.columns === undefined ? undefined : options.columns - 2;
  const lines = diagnosis.checks.flatMap(({ check, ...outcome }) =>
    checkLines(check, outcome, { ...options, columns }),
  );
  return `${[
    options.style.bold(safeLine(title)),
    ...[...lines, ...verdictLines(diagnosis, { ...options, columns })].map((line) => `  ${line}`),
  ].join('\n')}\n`;
}

/** The conclusion, in one sentence. */
export function verdictLines(
  diagnosis: Diagnosis,
  { style, columns }: CheckLineOptions,
): readonly string[] {
  const [words, paint] = verdictOf(diagnosis, style);
  return wrapText(words, columns).map(paint);
}

function verdictOf(
  { scope, ok, usable, provider, checks }: Diagnosis,
  style: Style,
): readonly [words: string, paint: Paint] {
  if (scope === 'ext') {
    return ok
      ? ['works: the external program answers', style.ok]
      : ['broken: using the built-in engine until this is fixed', style.fault];
  }
  if (provider === null) return ['no provider: keyword search only', style.dim];
  const name = safeLine(provider);
  if (usable === 'primary') return [`works: ${name} embeds`, style.ok];
  if (scope === 'named') return [`${name} cannot embed`, style.fault];
  const fallback = safeLine(checks.find(({ check }) => check === 'fallback')?.text ?? '');
  const works = checks.some(({ check, state }) => check === 'embed' && state === 'ok');
  if (ok && works) {
    return [
      `works: queries use the fallback ${fallback}, because the index has its vectors`,
      style.warning,
    ];
  }
  if (ok) return [`${name} fails; the fallback ${fallback} is used instead`, style.warning];
  return ['broken: keyword search only until this is fixed', style.fault];
}

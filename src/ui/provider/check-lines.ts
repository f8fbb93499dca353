import type {
  CheckName,
  CheckOutcome,
  CheckState,
} from '../../engine/embeddings/diagnosis/events.js';
import { EXACT_MEASURE, padEnd, textWidth } from '../fit.js';
import { formatCount, formatDuration } from '../format.js';
import { safeLine } from '../safe-text.js';
import type { Paint, Style } from '../style.js';
import { wrapSpans } from '../wrap.js';
import { modelWords } from './words.js';

/** How a check is shown. */
export interface CheckLineOptions {
  readonly style: Style;
  /** Width to wrap to; undefined (a pipe) leaves every line whole. */
  readonly columns: number | undefined;
}

/** A check that has not ended yet, or what it found. */
export type ShownCheck = CheckOutcome | 'running' | 'waiting';

const LABEL_COLUMNS = 12;
const TEXT_COLUMNS = 24;
const INDENT = ' '.repeat(2 + LABEL_COLUMNS);

const MARKS: Readonly<Record<CheckState | 'running' | 'waiting', string>> = {
  failed: '✗',
  off: '–',
  ok: '✓',
  running: '●',
  waiting: '○',
  warning: '!',
};

/** A check as one line, and below it what is wrong and what to do about it. */
export function checkLines(
  check: CheckName,
  shown: ShownCheck,
  { style, columns }: CheckLineOptions,
): readonly string[] {
  const state = typeof shown === 'string' ? shown : shown.state;
  const mark = paintOf(state, style)(MARKS[state]);
  const label = padEnd(check, LABEL_COLUMNS);
  if (typeof shown === 'string') {
    return [`${mark} ${state === 'waiting' ? style.dim(check) : check}`];
  }
  const wrap = (text: string): readonly string[] => {
    const line = safeLine(text);
    if (columns === undefined) return [line];
    const spans = wrapSpans(line, columns - INDENT.length, EXACT_MEASURE);
    return spans.map((span) => line.slice(span.start, span.end).trimEnd());
  };
  const about = check === 'embed' ? modelWords(shown.text) : shown.text;
  const [text = '', ...textRest] = wrap(about);
  const note = noteOf(check, shown);
  const beside = `${padEnd(text, TEXT_COLUMNS)}  ${safeLine(note)}`;
  const fits = columns === undefined || INDENT.length + textWidth(beside) <= columns;
  const isBeside = note !== '' && textRest.length === 0 && fits;
  const below = [
    ...textRest,
    ...(note === '' || isBeside ? [] : wrap(note).map(style.dim)),
    ...(shown.cause === undefined ? [] : wrap(shown.cause).map(paintOf(state, style))),
    ...(shown.mend === undefined ? [] : wrap(`→ ${shown.mend}`)),
  ];
  const first = isBeside ? `${padEnd(text, TEXT_COLUMNS)}  ${style.dim(safeLine(note))}` : text;
  return [`${mark} ${label}${first}`, ...below.map((line) => INDENT + line)];
}

function paintOf(state: keyof typeof MARKS, style: Style): Paint {
  const paints: Readonly<Record<keyof typeof MARKS, Paint>> = {
    failed: style.red,
    off: style.dim,
    ok: style.green,
    running: style.cyan,
    waiting: style.dim,
    warning: style.yellow,
  };
  return paints[state];
}

/** Where it is written, what is known of it, its figures. */
function noteOf(check: CheckName, outcome: CheckOutcome): string {
  const { note, location, dimensions, passages, latencyMs, state, code } = outcome;
  const file = location?.file.replace(/^.*[\\/]/u, '');
  const place = location === undefined ? undefined : `${file}:${location.line}`;
  const parts = [
    check === 'selected' && place !== undefined ? `${place} ${note ?? ''}`.trimEnd() : note,
    state === 'failed' ? code : undefined,
    passages === undefined
      ? undefined
      : `${formatCount(passages.done)} of ${formatCount(passages.all)} passages`,
    dimensions === undefined ? undefined : `${formatCount(dimensions)} dimensions`,
    latencyMs === undefined ? undefined : formatDuration(latencyMs),
    check === 'selected' ? undefined : place,
  ];
  return parts.filter((part) => part !== undefined && part !== '').join(' · ');
}

import type { SearchResult, TextSpan } from '../../../engine/memory/search/index.js';
import { fitEnd, wrapSpans } from '../../fit.js';
import { type MarkedLine, markLine, paintMarks } from '../../marked-text.js';
import { headingTrail, shownDocument } from '../../memory/location.js';
import { safeLine } from '../../safe-text.js';
import type { Style } from '../../style.js';
import type { SearchLayout } from './layout.js';
import type { PassageText, Preview } from './state.js';

const MARGIN = 2;
const NUMBER_COLUMNS = 5;
const GAP = 2;
/** Characters before a match far into a very long line. */
const LEAD = 40;

/** The passage in its file: its path, then its lines with line numbers. */
export function previewLines(
  preview: Preview,
  result: SearchResult | undefined,
  layout: SearchLayout,
  style: Style,
): readonly string[] {
  if (result === undefined || layout.preview === 0) return [];
  const room = layout.columns - MARGIN * 2;
  const title = [shownDocument(result), headingTrail(result.headingPath)]
    .filter(Boolean)
    .join(' › ');
  const head = `  ${style.dim(fitEnd(`# ${title}`, room))}`;
  switch (preview.state) {
    case 'none':
    case 'loading':
      return [head];
    case 'failed':
      return [head, `  ${style.fault(fitEnd(safeLine(preview.trouble.message), room))}`];
    case 'ready':
      return [head, ...passageLines(preview.passage, result, layout, style)];
  }
}

function passageLines(
  passage: PassageText,
  result: SearchResult,
  layout: SearchLayout,
  style: Style,
): readonly string[] {
  const height = layout.preview - 1;
  const first = firstShown(passage, result, height);
  const rows: string[] = [];
  for (const [at, line] of passage.text.split('\n').entries()) {
    const number = passage.lineNumbers?.[at] ?? passage.startLine + at;
    if (number < first) continue;
    if (rows.length >= height) break;
    const inside = number >= result.startLine && number <= result.endLine;
    rows.push(...lineRows(line, number, { result, layout, style, inside, height }));
  }
  return rows.slice(0, height);
}

/** The first line shown: the top of the passage, or a line shortly before the best ones if they would not be visible. */
function firstShown(passage: PassageText, result: SearchResult, height: number): number {
  const fits = result.snippetLine - result.startLine < Math.floor(height / 2);
  const wanted = fits ? result.startLine : result.snippetLine - Math.floor(height / 4);
  return Math.max(passage.startLine, wanted);
}

interface RowOptions {
  readonly result: SearchResult;
  readonly layout: SearchLayout;
  readonly style: Style;
  /** The line is part of the passage. */
  readonly inside: boolean;
  readonly height: number;
}

function lineRows(line: string, number: number, options: RowOptions): readonly string[] {
  const { layout, style } = options;
  const room = layout.columns - MARGIN * 2 - NUMBER_COLUMNS - GAP;
  const marked = cutLine(line, spansIn(line, number, options.result), room * options.height);
  const paint = style.match;
  return wrapSpans(marked.text, room).map((span, row) => {
    const gutter = row === 0 ? String(number).padStart(NUMBER_COLUMNS) : ' '.repeat(NUMBER_COLUMNS);
    const text = paintMarks(marked, span, paint);
    return `  ${style.dim(gutter)}  ${options.inside ? text : style.dim(text)}`.trimEnd();
  });
}

/** The highlights of a line: those of the snippet's line with the same number and text. */
function spansIn(line: string, number: number, result: SearchResult): readonly TextSpan[] {
  const snippet = result.snippet.split('\n');
  const row = number - result.snippetLine;
  const part = snippet[row];
  if (part === undefined || part === '') return [];
  // A snippet of a very long line is a part of it; a changed file may no longer contain it.
  const offset = line.indexOf(part);
  if (offset === -1) return [];
  const start = snippet.slice(0, row).reduce((sum, text) => sum + text.length + 1, 0);
  return result.highlights
    .filter((span) => span.start < start + part.length && span.end > start)
    .map((span) => ({ start: span.start - start + offset, end: span.end - start + offset }));
}

/** The visible part of a line, from shortly before its first mark: a line may be megabytes long. */
function cutLine(line: string, spans: readonly TextSpan[], most: number): MarkedLine {
  const match = spans[0]?.start ?? 0;
  const from = match > most / 2 ? Math.max(0, match - LEAD) : 0;
  const moved = spans.map((span) => ({ start: span.start - from, end: span.end - from }));
  const { text, marks } = markLine(line.slice(from, from + most), moved);
  if (from === 0) return { text, marks };
  return {
    text: `…${text}`,
    marks: marks.map(({ start, end }) => ({ start: start + 1, end: end + 1 })),
  };
}

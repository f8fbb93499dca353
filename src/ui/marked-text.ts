import type { TextSpan } from '../engine/memory/search/index.js';
import { safeProse } from './safe-text.js';
import type { Paint } from './style.js';

/** A line that is safe to show, with the spans to highlight. */
export interface MarkedLine {
  readonly text: string;
  /** UTF-16 units of `text`, end excluded, ascending. */
  readonly marks: readonly TextSpan[];
}

/** Makes a line of a document safe and moves its marks accordingly. */
export function markLine(line: string, spans: readonly TextSpan[]): MarkedLine {
  let text = '';
  let at = 0;
  const marks: TextSpan[] = [];
  for (const span of spans) {
    const start = clamp(span.start, at, line.length);
    const end = clamp(span.end, start, line.length);
    if (end === start) continue;
    text += safeProse(line.slice(at, start));
    const markStart = text.length;
    text += safeProse(line.slice(start, end));
    marks.push({ start: markStart, end: text.length });
    at = end;
  }
  return { text: text + safeProse(line.slice(at)), marks };
}

/** The lines of a snippet, each with its highlights. */
export function markSnippet(
  snippet: string,
  highlights: readonly TextSpan[],
): readonly MarkedLine[] {
  let offset = 0;
  return snippet.split('\n').map((line) => {
    const start = offset;
    const end = start + line.length;
    offset = end + 1;
    const inside = highlights.filter((span) => span.start < end && span.end > start);
    return markLine(
      line.endsWith('\r') ? line.slice(0, -1) : line,
      inside.map((span) => ({ start: span.start - start, end: span.end - start })),
    );
  });
}

/** A span of a marked line with its marks painted. */
export function paintMarks(line: MarkedLine, span: TextSpan, paint: Paint): string {
  let painted = '';
  let at = span.start;
  for (const mark of line.marks) {
    const start = clamp(mark.start, at, span.end);
    const end = clamp(mark.end, start, span.end);
    painted += line.text.slice(at, start) + paint(line.text.slice(start, end));
    at = end;
  }
  return painted + line.text.slice(at, span.end);
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), Math.max(low, high));
}

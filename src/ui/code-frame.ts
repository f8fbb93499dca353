import type { SourceLocation } from '../engine/errors/index.js';
import type { DiffLine } from '../engine/support/text-diff.js';
import { fitEnd, takeColumns, takeLastColumns, textWidth } from './fit.js';
import { safeProse } from './safe-text.js';
import type { Style } from './style.js';

interface FrameOptions {
  /** Lines shown before and after; 2 by default. */
  readonly context?: number;
  /** Width of a line in terminal columns without line numbers; longer lines are cut around the location. 80 by default. */
  readonly width?: number;
}

const CUT = '…';

/** The lines of a text, numbered as editors do. Split once for all of its frames. */
export function frameSource(text: string): readonly string[] {
  return text.split(/\r\n|\r|\n/u);
}

/** The lines around a location, with line numbers and a caret. One outside the text is moved inside. */
export function renderCodeFrame(
  lines: readonly string[],
  location: Pick<SourceLocation, 'column' | 'line'>,
  options: FrameOptions = {},
): string {
  const { context = 2, width = 80 } = options;
  const target = clampFromOne(location.line, lines.length);
  const first = Math.max(1, target - context);
  const last = Math.min(lines.length, target + context);
  const gutter = String(last).length;
  const frame: string[] = [];
  for (let number = first; number <= last; number++) {
    const line = lines[number - 1] ?? '';
    const isTarget = number === target;
    const column = isTarget ? clampFromOne(location.column, line.length + 1) : 1;
    const cut = cutAround(line, column - 1, width);
    frame.push(
      `${isTarget ? '>' : ' '} ${String(number).padStart(gutter)} | ${cut.text}`.trimEnd(),
    );
    if (isTarget) frame.push(`  ${' '.repeat(gutter)} | ${' '.repeat(cut.caretColumn)}^`);
  }
  return frame.join('\n');
}

/** A line, or the part around an offset if it is too wide, and the terminal columns before the offset. */
function cutAround(line: string, offset: number, width: number) {
  // A minified file can be one line of megabytes, so only the part around the offset is measured.
  const from = Math.max(0, offset - width);
  const before = safeProse(line.slice(safeStart(line, from), offset));
  const after = safeProse(line.slice(offset, offset + 2 * width));
  const room = Math.max(8, width - 2 * CUT.length);
  const right = takeColumns(after, Math.max(Math.floor(room / 2), room - textWidth(before)));
  const left = takeLastColumns(before, room - textWidth(right));
  const cutLeft = from > 0 || left.length < before.length;
  const cutRight = right.length < after.length || offset + 2 * width < line.length;
  const start = cutLeft ? CUT : '';
  return {
    text: `${start}${left}${right}${cutRight ? CUT : ''}`,
    caretColumn: start.length + textWidth(left),
  };
}

/** Moves an offset that would split a surrogate pair. */
function safeStart(line: string, offset: number): number {
  const unit = line.charCodeAt(offset);
  return unit >= 0xdc00 && unit <= 0xdfff ? offset + 1 : offset;
}

function clampFromOne(value: number, max: number): number {
  return Math.min(Math.max(value, 1), max);
}

/** The lines of a diff. @param columns cut lines to this width */
export function renderDiff(
  diff: readonly DiffLine[],
  { style, columns }: { readonly style: Style; readonly columns: number | undefined },
): readonly string[] {
  const signs = { added: '+', context: ' ', removed: '-' } as const;
  const paints = { added: style.ok, context: style.dim, removed: style.fault } as const;
  return diff.map(({ kind, text }) => {
    const line = `${signs[kind]} ${safeProse(text)}`;
    return paints[kind](columns === undefined ? line : fitEnd(line, columns));
  });
}

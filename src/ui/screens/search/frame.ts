import { EXACT_MEASURE, fitEnd, padStart, spread, textWidth } from '../../fit.js';
import { formatCount, formatDuration } from '../../format.js';
import { scoreParts } from '../../memory/explanation.js';
import { safeLine } from '../../safe-text.js';
import type { Style } from '../../style.js';
import { wrapSpans } from '../../wrap.js';
import { type KeyHelp, keyLines } from '../keys.js';
import type { TerminalSize } from '../terminal-size.js';
import { layoutSearch, type SearchLayout } from './layout.js';
import { windowLine } from './line-editor.js';
import { listLines } from './list-lines.js';
import { previewLines } from './preview-lines.js';
import { type SearchScreenModel, selectedResult } from './state.js';

/** The search screen as lines, and where the terminal's cursor stands. */
export interface SearchFrame {
  readonly lines: readonly string[];
  /** Undefined while the list has the focus: the cursor is hidden then. */
  readonly cursor: { readonly x: number; readonly y: number } | undefined;
}

const PROMPT = '  › ';
const MARGIN = 2;

const MEANING = 'looking up the meaning …';

const KEYS: readonly KeyHelp[] = [
  ['type', 'search as you type'],
  ['↑ ↓', 'choose a result; page keys by a page'],
  ['⏎', 'open the passage in $EDITOR'],
  ['tab, ↓', 'go to the list, where letters are keys'],
  ['y', 'copy the citation; ctrl-y anywhere'],
  ['/, tab', 'back to typing, as any other letter'],
  ['ctrl-u, ctrl-w', 'erase what was typed, or one word'],
  ['esc', 'back; leaves from the input'],
  ['q, ctrl-c', 'leave (q from the list)'],
];

/** The frame at a size: always as tall as the layout says, never wider than the terminal. */
export function searchFrame(
  model: SearchScreenModel,
  style: Style,
  size: TerminalSize,
): SearchFrame {
  const layout = layoutSearch(size);
  const input = inputLine(model, layout, style);
  const body = model.help
    ? fill(helpLines(layout, style), layout.list + layout.preview + 1)
    : resultLines(model, layout, style);
  // Where even these do not fit, the input is the last to go.
  const lines = [input.line, ...body, footerLine(model, layout, style)].slice(0, layout.height);
  return {
    lines,
    cursor: model.focus === 'input' ? { x: input.cursorColumn, y: 0 } : undefined,
  };
}

function inputLine(
  model: SearchScreenModel,
  layout: SearchLayout,
  style: Style,
): { readonly line: string; readonly cursorColumn: number } {
  const figures = figuresOf(model);
  const room = layout.columns - PROMPT.length - MARGIN;
  const withFigures = room - textWidth(figures) - 2;
  const window = windowLine(model.input, Math.max(10, withFigures));
  const left = `${style.cyan(PROMPT)}${window.shown}`;
  return {
    line: spread(left, style.dim(figures), layout.columns - MARGIN),
    cursorColumn: Math.min(PROMPT.length + window.cursorColumn, Math.max(0, layout.columns - 1)),
  };
}

function figuresOf({ response, looking }: SearchScreenModel): string {
  if (response === undefined) return looking ? MEANING : '';
  const shown = formatCount(response.results.length);
  const counts = `${shown} of ${formatCount(response.matches)}`;
  return `${counts} · ${looking ? MEANING : formatDuration(response.searchMs)}`;
}

function resultLines(
  model: SearchScreenModel,
  layout: SearchLayout,
  style: Style,
): readonly string[] {
  const rule = ruleLine(model, layout, style);
  const list =
    selectedResult(model) === undefined
      ? messageLines(model, layout, style)
      : listLines(model, layout, style);
  const preview = previewLines(model.preview, selectedResult(model), layout, style);
  return [...fill(list, layout.list), rule, ...fill(preview, layout.preview)];
}

/** The line below the list; it carries what the results should be taken with. */
function ruleLine({ response }: SearchScreenModel, layout: SearchLayout, style: Style): string {
  const columns = Math.max(0, layout.columns - MARGIN * 2);
  const [warning] = response?.warnings ?? [];
  if (warning === undefined) return `  ${style.dim('─'.repeat(columns))}`;
  const words = fitEnd(`─ ${safeLine(warning.message)} `, Math.max(0, columns - 4));
  return `  ${style.dim(words + '─'.repeat(Math.max(0, columns - textWidth(words))))}`;
}

/** What stands in the list's place when it is empty. */
function messageLines(
  { trouble, response, input }: SearchScreenModel,
  layout: SearchLayout,
  style: Style,
): readonly string[] {
  const wrap = (text: string): readonly string[] =>
    wrapSpans(safeLine(text), layout.columns - MARGIN * 4, EXACT_MEASURE).map(
      (span) => `    ${safeLine(text).slice(span.start, span.end)}`,
    );
  if (trouble !== undefined) {
    const hint = trouble.hint === undefined ? [] : wrap(`→ ${trouble.hint}`).map(style.dim);
    return [...wrap(trouble.message).map(style.yellow), ...hint];
  }
  if (response !== undefined) return wrap('No matches: try fewer or other words.').map(style.dim);
  return input.text.trim() === '' ? wrap('Ask your memory something.').map(style.dim) : [];
}

function helpLines(layout: SearchLayout, style: Style): readonly string[] {
  const lines = keyLines(KEYS, style, layout.columns - MARGIN * 3, 16);
  return lines.map((line) => `    ${line}`);
}

function footerLine(model: SearchScreenModel, layout: SearchLayout, style: Style): string {
  const room = layout.columns - MARGIN * 2;
  const keys = footerKeys(model, room);
  const notice = safeLine(model.notice ?? '');
  const left = notice === '' ? scoreWords(model) : fitEnd(notice, room - textWidth(keys) - 2);
  // Where there is no room for both, the keys stay.
  if (textWidth(left) + 2 + textWidth(keys) > room) return `  ${style.dim(padStart(keys, room))}`;
  return `  ${spread(style.dim(left), style.dim(keys), room)}`.trimEnd();
}

function scoreWords(model: SearchScreenModel): string {
  const result = selectedResult(model);
  return result === undefined ? '' : scoreParts(result);
}

/** The keys that do something now, the least needed left out where there is little room. */
function footerKeys(model: SearchScreenModel, room: number): string {
  const keys = keysNow(model);
  for (let count = keys.length; count > 1; count -= 1) {
    const line = keys.slice(0, count).join('  ');
    if (textWidth(line) <= room) return line;
  }
  return fitEnd(keys[0] ?? '', room);
}

function keysNow(model: SearchScreenModel): readonly string[] {
  if (model.help) return ['esc back'];
  if (model.focus === 'list') return ['↑↓ ⏎ open', 'y copy', '/ type', '? keys', 'q leave'];
  if (model.input.text === '') return ['? keys', 'esc leave'];
  if (selectedResult(model) === undefined) return ['esc leave'];
  return ['↑↓ ⏎ open', 'ctrl-y copy', 'tab list', 'esc leave'];
}

function fill(lines: readonly string[], height: number): readonly string[] {
  return [...lines, ...Array<string>(Math.max(0, height - lines.length)).fill('')].slice(0, height);
}

import type { SearchResult } from '../../../engine/memory/search/index.js';
import { formatCount, formatDuration } from '../../../engine/support/format.js';
import { windowLine } from '../../components/line-editor.js';
import { fitEnd, fitMiddle, padEnd, padStart, spread, textWidth, wrapText } from '../../fit.js';
import { scoreParts } from '../../memory/explanation.js';
import { headingTrail, lineAnchor, shownDocument } from '../../memory/location.js';
import { correctionNote, moreLikeThis } from '../../memory/search-results.js';
import { safeLine } from '../../safe-text.js';
import { drawScore, type Style } from '../../style.js';
import type { TerminalSize } from '../../terminal/size.js';
import { type KeyHelp, keyLines } from '../keys.js';
import { layoutSearch, type SearchLayout } from './layout.js';
import { previewLines } from './preview-lines.js';
import { type SearchScreenModel, selectedResult } from './state.js';

/** The search screen as lines, and the position of the cursor. */
export interface SearchFrame {
  readonly lines: readonly string[];
  /** Undefined while the list has the focus: the cursor is hidden then. */
  readonly cursor: { readonly x: number; readonly y: number } | undefined;
}

const PROMPT = '  › ';
const MARGIN = 2;

const MEANING = 'semantic search …';

const KEYS: readonly KeyHelp[] = [
  ['type', 'search as you type'],
  ['↑ ↓', 'choose a result; page up and down'],
  ['⏎', 'open the passage in $EDITOR'],
  ['tab, ↓', 'go to the list, where letters are keys'],
  ['y', 'copy the citation; ctrl-y anywhere'],
  ['/, tab', 'back to the input, as with any other letter'],
  ['ctrl-u, ctrl-w', 'erase the query, or one word'],
  ['esc', 'back; quits from the input'],
  ['q, ctrl-c', 'quit (q from the list)'],
];

/** The frame, as tall as the layout and never wider than the terminal. */
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
  // The input is dropped last.
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
  const left = `${style.accent(PROMPT)}${window.shown}`;
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

/** The line below the list, with a warning about the results or the words that were replaced. */
function ruleLine({ response }: SearchScreenModel, layout: SearchLayout, style: Style): string {
  const columns = Math.max(0, layout.columns - MARGIN * 2);
  const note =
    response?.warnings[0]?.message ??
    (response === undefined ? undefined : correctionNote(response));
  if (note === undefined) return `  ${style.dim('─'.repeat(columns))}`;
  const words = fitEnd(`─ ${safeLine(note)} `, Math.max(0, columns - 4));
  return `  ${style.dim(words + '─'.repeat(Math.max(0, columns - textWidth(words))))}`;
}

/** The message for an empty list. */
function messageLines(
  { trouble, response, input }: SearchScreenModel,
  layout: SearchLayout,
  style: Style,
): readonly string[] {
  const wrap = (text: string): readonly string[] =>
    wrapText(safeLine(text), layout.columns - MARGIN * 4).map((line) => `    ${line}`);
  if (trouble !== undefined) {
    const hint = trouble.hint === undefined ? [] : wrap(`→ ${trouble.hint}`).map(style.dim);
    return [...wrap(trouble.message).map(style.warning), ...hint];
  }
  if (response !== undefined)
    return wrap('No matches. Try fewer or different words.').map(style.dim);
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
  // Without room for both, the keys are kept.
  if (textWidth(left) + 2 + textWidth(keys) > room) return `  ${style.dim(padStart(keys, room))}`;
  return `  ${spread(style.dim(left), style.dim(keys), room)}`.trimEnd();
}

function scoreWords(model: SearchScreenModel): string {
  const result = selectedResult(model);
  return result === undefined ? '' : scoreParts(result);
}

/** The keys that do something now, as many as fit. */
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
  if (model.focus === 'list') return ['↑↓ ⏎ open', 'y copy', '/ input', '? help', 'q quit'];
  if (model.input.text === '') return ['? help', 'esc quit'];
  if (selectedResult(model) === undefined) return ['esc quit'];
  return ['↑↓ ⏎ open', 'ctrl-y copy', 'tab list', 'esc quit'];
}

function fill(lines: readonly string[], height: number): readonly string[] {
  return [...lines, ...Array<string>(Math.max(0, height - lines.length)).fill('')].slice(0, height);
}

const SCORE_COLUMNS = 4;
const GAP = 2;
/** Greatest share of a line for the path; the rest shows the text. */
const PLACE_SHARE = 0.45;

/** The visible results, scrolled to the selected one. */
function listLines(
  model: SearchScreenModel,
  layout: SearchLayout,
  style: Style,
): readonly string[] {
  const results = model.response?.results ?? [];
  const first = Math.max(
    0,
    Math.min(model.selected - Math.floor(layout.list / 2), results.length - layout.list),
  );
  const shown = results.slice(first, first + layout.list);
  const places = shown.map((result) => textWidth(placeOf(result)));
  const placeColumns = Math.min(
    Math.max(0, ...places),
    Math.floor((layout.columns - MARGIN * 2) * PLACE_SHARE),
  );
  const selected = selectedResult(model);
  return shown.map((result) =>
    resultLine(result, {
      style,
      columns: layout.columns,
      placeColumns,
      selected: result === selected,
      focused: model.focus === 'list',
    }),
  );
}

interface LineOptions {
  readonly style: Style;
  readonly columns: number;
  readonly placeColumns: number;
  readonly selected: boolean;
  readonly focused: boolean;
}

function resultLine(result: SearchResult, options: LineOptions): string {
  const { style, columns, placeColumns, selected } = options;
  const barColumns = columns < 72 ? 5 : 10;
  const anchor = lineAnchor(result);
  const path = fitMiddle(shownDocument(result), placeColumns - anchor.length);
  const place = padEnd(path + anchor, placeColumns);
  const score = result.score.toFixed(2).padStart(SCORE_COLUMNS);
  const bar = padEnd(drawScore(result.score, barColumns), barColumns);
  const used = MARGIN * 2 + placeColumns + GAP + SCORE_COLUMNS + 1 + barColumns + GAP;
  const words = [moreLikeThis(result), headingTrail(result.headingPath)].filter(Boolean);
  const trail = fitEnd(words.join(' · '), columns - used - MARGIN);
  const mark = selected ? style.accent('❯') : ' ';
  const strong = selected && options.focused ? style.selection : selected ? style.bold : plain;
  return `  ${mark} ${strong(place)}  ${score} ${style.accent(bar)}  ${style.dim(trail)}`.trimEnd();
}

function placeOf(result: SearchResult): string {
  return shownDocument(result) + lineAnchor(result);
}

function plain(text: string): string {
  return text;
}

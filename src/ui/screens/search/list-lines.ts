import type { SearchResult } from '../../../engine/memory/search/types.js';
import { drawScore } from '../../bar.js';
import { fitEnd, fitMiddle, padEnd, textWidth } from '../../fit.js';
import { headingTrail, lineAnchor } from '../../memory/location.js';
import { safeLine } from '../../safe-text.js';
import type { Style } from '../../style.js';
import type { SearchLayout } from './layout.js';
import { type SearchScreenModel, selectedResult } from './state.js';

const MARGIN = 2;
const SCORE_COLUMNS = 4;
const GAP = 2;
/** At most this share of the line is for where the passage is; the rest says what it is. */
const PLACE_SHARE = 0.45;

/** The results in sight, one a line, scrolled so that the selected one is among them. */
export function listLines(
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
  const path = fitMiddle(safeLine(result.path), placeColumns - anchor.length);
  const place = padEnd(path + anchor, placeColumns);
  const score = result.score.toFixed(2).padStart(SCORE_COLUMNS);
  const bar = padEnd(drawScore(result.score, barColumns), barColumns);
  const used = MARGIN * 2 + placeColumns + GAP + SCORE_COLUMNS + 1 + barColumns + GAP;
  const trail = fitEnd(headingTrail(result.headingPath), columns - used - MARGIN);
  const mark = selected ? style.cyan('❯') : ' ';
  const strong = selected && options.focused ? style.inverse : selected ? style.bold : plain;
  return `  ${mark} ${strong(place)}  ${score} ${style.cyan(bar)}  ${style.dim(trail)}`.trimEnd();
}

function placeOf(result: SearchResult): string {
  return safeLine(result.path) + lineAnchor(result);
}

function plain(text: string): string {
  return text;
}

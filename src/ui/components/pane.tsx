import { type ReactElement, useEffect } from 'react';
import { formatCount } from '../../engine/support/format.js';
import { fitEnd, padEnd, textWidth, wrapText } from '../fit.js';
import { safeProse } from '../safe-text.js';
import type { Paint, Style } from '../style.js';
import { useMouse } from '../terminal/input.js';
import type { Area } from '../terminal/size.js';
import { type ListMove, stepOf } from './list-state.js';
import { Rows, useStyle } from './rows.js';

/** A line of a pane, of any length. */
export interface PaneLine {
  /** Name of a field; the texts of all fields start in the same column. */
  readonly label?: string;
  /** May be untrusted, and have several lines. */
  readonly text: string;
  readonly paint?: Paint;
}

/** The text of a pane: lines of any length, or finished rows for a width, which must be safe to show. */
export type PaneText = readonly PaneLine[] | ((columns: number) => readonly string[]);

/** How far a pane is scrolled. */
export interface PaneState {
  readonly top: number;
  /** Rows of the pane and of its text, as last drawn. */
  readonly rows: number;
  readonly length: number;
}

type PaneMove = ListMove | 'wheelDown' | 'wheelUp';

/** Events of a pane. */
export type PaneEvent =
  | { readonly type: 'scrolled'; readonly to: PaneMove }
  | ({ readonly type: 'sized' } & Pick<PaneState, 'length' | 'rows'>);

export const PANE_TOP: PaneState = { top: 0, rows: 1, length: 0 };

/** The pane after an event; pure. */
export function reducePane(state: PaneState, event: PaneEvent): PaneState {
  switch (event.type) {
    case 'sized': {
      const { rows, length } = event;
      const isSame = rows === state.rows && length === state.length;
      return isSame ? state : { ...state, rows, length };
    }
    case 'scrolled': {
      const top = clampTop(topAfter(state, event.to), state);
      return top === state.top ? state : { ...state, top };
    }
  }
}

const WHEEL_ROWS = 3;

function topAfter(state: PaneState, to: PaneMove): number {
  const top = clampTop(state.top, state);
  if (to === 'wheelUp') return top - WHEEL_ROWS;
  return top + (to === 'wheelDown' ? WHEEL_ROWS : stepOf(to, state.rows));
}

function clampTop(top: number, { rows, length }: Pick<PaneState, 'length' | 'rows'>): number {
  return Math.max(0, Math.min(top, length - rows));
}

interface PaneProps {
  readonly state: PaneState;
  readonly dispatch: (event: PaneEvent) => void;
  readonly text: PaneText;
  readonly area: Area;
}

/** Text that is wrapped and can be scrolled, also by the wheel. The last of several rows counts what is off-screen. */
export function Pane({ state, dispatch, text, area }: PaneProps): ReactElement {
  const style = useStyle();
  const wrapped =
    typeof text === 'function' ? text(area.columns) : paneRows(text, style, area.columns);
  const isLong = wrapped.length > area.rows;
  const rows = Math.max(1, isLong ? area.rows - 1 : area.rows);
  const length = wrapped.length;
  useEffect(() => dispatch({ type: 'sized', rows, length }));
  useMouse(area, ({ action }) => {
    if (action !== 'click') dispatch({ type: 'scrolled', to: action });
  });
  const top = clampTop(state.top, { rows, length });
  const visible = wrapped.slice(top, top + rows);
  const last = formatCount(top + visible.length);
  const place = `lines ${formatCount(top + 1)}–${last} of ${formatCount(length)}`;
  const lines = isLong ? [...visible, style.dim(fitEnd(place, area.columns))] : visible;
  return <Rows lines={lines.slice(0, area.rows)} />;
}

const GAP = 2;
/** A field's text starts on the next line if there is less room for it. */
const LEAST_TEXT = 20;
/** Bounds the work for a text of megabytes. */
const MOST_CHARS = 200_000;

function paneRows(lines: readonly PaneLine[], style: Style, columns: number): readonly string[] {
  const labels = Math.max(0, ...lines.map(({ label = '' }) => textWidth(label)));
  const indent = labels === 0 || columns - labels - GAP < LEAST_TEXT ? 0 : labels + GAP;
  return lines.flatMap((line) => lineRows(line, indent, style, columns));
}

function lineRows(
  { label, text, paint = (plain) => plain }: PaneLine,
  indent: number,
  style: Style,
  columns: number,
): readonly string[] {
  const at = label === undefined ? 0 : indent;
  const parts = text
    .slice(0, MOST_CHARS)
    .split('\n')
    .flatMap((line) => wrapText(safeProse(line), columns - at));
  if (label === undefined) return parts.map(paint);
  if (indent === 0) return [style.dim(fitEnd(label, columns)), ...parts.map(paint)];
  return parts.map(
    (part, row) => (row === 0 ? style.dim(padEnd(label, at)) : ' '.repeat(at)) + paint(part),
  );
}

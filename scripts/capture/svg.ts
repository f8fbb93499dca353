import { isDeepStrictEqual } from 'node:util';
import stringWidth from 'string-width';
import type { Cell } from '../../test/support/terminal-buffer.js';

const CELL = 8.4;
const LINE = 20;
const MARGIN = 18;
const BAR = 36;

const BACKGROUND = '#12161f';
const FOREGROUND = '#d6dbe5';
const COLORS: Readonly<Record<number, string>> = {
  31: '#ff7b80',
  91: '#ff7b80',
  32: '#8fdc98',
  33: '#f0c674',
  36: '#7cc5f5',
};
const FONTS = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace";

/** Adjacent characters of the same style. */
interface Run extends Cell {
  readonly column: number;
  readonly columns: number;
}

/** Draws the rows of a terminal as a window, without blank ones at the end. */
export function windowSvg(
  cells: readonly (readonly Cell[])[],
  columns: number,
  title: string,
): string {
  const last = cells.findLastIndex((row) =>
    row.some((cell) => cell.text.trim() !== '' || cell.look.inverse),
  );
  const rows = cells.slice(0, last + 1).map(runsOf);
  const width = Math.round(columns * CELL + MARGIN * 2);
  const height = rows.length * LINE + BAR + MARGIN;
  const label = xmlText(title);
  const dots = ['#ff6159', '#ffbd2e', '#28c941'].map(
    (color, at) => `<circle cx="${MARGIN + 6 + at * 18}" cy="18" r="5.5" fill="${color}"/>`,
  );
  const texts = rows.flatMap((runs, row) => {
    const y = BAR + (row + 1) * LINE - 5;
    return runs.map((run) => drawRun(run, y)).filter((drawn) => drawn !== '');
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${label}">`,
    `<rect width="${width}" height="${height}" rx="9" fill="${BACKGROUND}"/>`,
    ...dots,
    `<g font-family="${FONTS}" font-size="14" fill="${FOREGROUND}">`,
    ...texts,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function runsOf(row: readonly Cell[]): readonly Run[] {
  const runs: Run[] = [];
  for (const [column, cell] of row.entries()) {
    const last = runs.at(-1);
    if (last !== undefined && isDeepStrictEqual(last.look, cell.look)) {
      runs[runs.length - 1] = { ...last, columns: last.columns + 1, text: last.text + cell.text };
    } else runs.push({ ...cell, column, columns: 1 });
  }
  return runs;
}

function drawRun(run: Run, y: number): string {
  const { look } = run;
  const color = look.color === undefined ? FOREGROUND : (COLORS[look.color] ?? FOREGROUND);
  const box = `x="${leftOf(run.column)}" y="${y - LINE + 5}" width="${round(run.columns * CELL)}"`;
  const behind = look.inverse ? `<rect ${box} height="${LINE}" fill="${color}"/>` : '';
  const attributes = [
    look.bold ? ' font-weight="700"' : '',
    look.dim ? ' opacity="0.55"' : '',
    look.underline ? ' text-decoration="underline"' : '',
    look.inverse ? ` fill="${BACKGROUND}"` : color === FOREGROUND ? '' : ` fill="${color}"`,
  ].join('');
  const texts = piecesOf(run).map(({ column, text }) => {
    const place = `x="${leftOf(column)}" y="${y}" textLength="${round(stringWidth(text) * CELL)}"`;
    return `<text ${place}${attributes}>${xmlText(text)}</text>`;
  });
  return behind + texts.join('');
}

/** Splits a run at wide gaps, which SVG renderers collapse. */
function piecesOf({ column, text }: Run): { readonly column: number; readonly text: string }[] {
  return [...text.matchAll(/\S+(?: \S+)*/g)].map((match) => {
    return { column: column + stringWidth(text.slice(0, match.index)), text: match[0] };
  });
}

function leftOf(column: number): number {
  return round(MARGIN + column * CELL);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

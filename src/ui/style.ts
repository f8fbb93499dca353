import { styleText } from 'node:util';

/** Shows the cursor, which screens, questions and lists of steps hide. */
export const SHOW_CURSOR = '\u001B[?25h';

/** Adds attributes to a text; returns it unchanged without colour. */
export type Paint = (text: string) => string;

/** The attributes a view may use, by what they mean. Colour repeats what the words say and never replaces them. */
export type Style = ReturnType<typeof createStyle>;

/** How text is drawn on stdout. */
export interface View {
  readonly style: Style;
  /** Width of the terminal; undefined (a pipe) cuts and wraps nothing. */
  readonly columns: number | undefined;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  readonly homeDir: string;
  /** Adds the flags that chose what the command works on to the commands in a hint. */
  readonly hintFor: (hint: string) => string;
}

/** Colours for a background; `any` is readable on all of them, `none` uses bold, dim and reverse only. */
export type Theme = 'any' | 'dark' | 'light' | 'none';

type Format = Parameters<typeof styleText>[0];
type Meaning = 'accent' | 'fault' | 'ok' | 'warning';

/**
 * The colours of the themes, from the 16 that every terminal has and that users adapt. Each has a contrast of at least
 * 3:1 on its background with the usual values: green, yellow and cyan are unreadable on white.
 */
export const THEMES = {
  any: { accent: 'blueBright', fault: 'redBright', ok: 'blueBright', warning: 'magenta' },
  dark: { accent: 'cyan', fault: 'redBright', ok: 'green', warning: 'yellow' },
  light: { accent: 'blue', fault: 'red', ok: 'blue', warning: 'magenta' },
  none: { accent: 'bold', fault: 'bold', ok: 'bold', warning: 'bold' },
} as const satisfies Readonly<Record<Theme, Readonly<Record<Meaning, Format>>>>;

/**
 * Creates the attributes for one output. src/cli/terminal.ts decides whether it is coloured, so the
 * environment and the stream are not checked again here.
 */
export function createStyle(color: boolean, theme: Theme = 'any') {
  const paint =
    (format: Format): Paint =>
    (text) =>
      color && text !== '' ? styleText(format, text, { validateStream: false }) : text;
  const { accent, fault, ok, warning } = THEMES[theme];
  return {
    plain: (text: string) => text,
    bold: paint('bold'),
    dim: paint('dim'),
    /** The prompt, and what is in progress. */
    accent: paint(accent),
    ok: paint(ok),
    warning: paint(warning),
    fault: paint(fault),
    /** What a search has found in a text. */
    match: paint(['bold', 'underline']),
    selection: paint('inverse'),
  } as const;
}

/** A progress bar; full only when everything is done. */
export function drawBar(fraction: number, columns: number): string {
  const full = Math.floor(clampToUnit(fraction) * columns);
  return '█'.repeat(full) + '░'.repeat(columns - full);
}

/** A score as a bar without a background, to the nearest column. */
export function drawScore(score: number, columns: number): string {
  return '▇'.repeat(Math.round(clampToUnit(score) * columns));
}

function clampToUnit(value: number): number {
  return Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 0;
}

/** Marks of what has a state; colour only repeats them. */
export const MARKS = {
  failed: '✗',
  fault: '✗',
  note: '·',
  off: '–',
  ok: '✓',
  running: '●',
  waiting: '○',
  warning: '!',
} as const;

/** The name of a mark. */
export type Mark = keyof typeof MARKS;

/** A mark in its colour. @param sign one column wide, drawn instead of the mark */
export function paintedMark(mark: Mark, style: Style, sign: string = MARKS[mark]): string {
  return markPaint(mark, style)(sign);
}

/** The colour of a mark. */
export function markPaint(mark: Mark, style: Style): Paint {
  return style[MARK_PAINTS[mark]];
}

const MARK_PAINTS = {
  failed: 'fault',
  fault: 'fault',
  note: 'dim',
  off: 'dim',
  ok: 'ok',
  running: 'accent',
  waiting: 'dim',
  warning: 'warning',
} as const satisfies Record<Mark, keyof Style>;

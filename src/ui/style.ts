import { styleText } from 'node:util';

/** Adds one attribute to a text; returns it unchanged without colour. */
export type Paint = (text: string) => string;

/** The attributes a view may use. Colour repeats what the words say and never replaces them. */
export type Style = ReturnType<typeof createStyle>;

/**
 * Creates the attributes for one output. src/cli/terminal.ts decides whether it is coloured, so the
 * environment and the stream are not checked again here.
 */
export function createStyle(color: boolean) {
  const paint =
    (name: Parameters<typeof styleText>[0]): Paint =>
    (text) =>
      color && text !== '' ? styleText(name, text, { validateStream: false }) : text;
  return {
    bold: paint('bold'),
    dim: paint('dim'),
    underline: paint('underline'),
    inverse: paint('inverse'),
    red: paint('red'),
    green: paint('green'),
    yellow: paint('yellow'),
    cyan: paint('cyan'),
  } as const;
}

/** A progress bar; full only when everything is done. */
export function drawBar(fraction: number, columns: number): string {
  const full = Math.floor(unit(fraction) * columns);
  return '█'.repeat(full) + '░'.repeat(columns - full);
}

/** A score as a bar without a background, to the nearest column. */
export function drawScore(score: number, columns: number): string {
  return '▇'.repeat(Math.round(unit(score) * columns));
}

function unit(value: number): number {
  return Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 0;
}

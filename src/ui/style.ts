/** Wraps a text in one attribute; gives it back untouched where there is no colour. */
export type Paint = (text: string) => string;

/** The attributes a view may use. Colour adds to what the words say and never replaces them. */
export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly underline: Paint;
  readonly inverse: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
}

/**
 * Makes the attributes for one output. Whether it takes colour is decided at the edge
 * (src/cli/terminal.ts), so nothing here, and nothing in ink's chalk, looks at the environment.
 */
export function createStyle(color: boolean): Style {
  const paint =
    (on: number, off: number): Paint =>
    (text) =>
      color && text !== '' ? `\u001B[${on}m${text}\u001B[${off}m` : text;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    underline: paint(4, 24),
    inverse: paint(7, 27),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
  };
}

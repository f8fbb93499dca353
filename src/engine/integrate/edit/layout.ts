/** How a text is laid out, for new parts to look like the rest. */
export interface Layout {
  readonly eol: string;
  /** One step of indentation. */
  readonly unit: string;
  /** Written by a program on one line, without blanks. */
  readonly isMinified: boolean;
}

const DEFAULT_UNIT = '  ';

/** Reads the layout off a JSON text. */
export function layoutOf(text: string): Layout {
  return {
    eol: eolOf(text),
    unit: /^([ \t]+)"/mu.exec(text)?.[1] ?? DEFAULT_UNIT,
    isMinified: !/[\r\n]/u.test(text.trimEnd()) && /"\s*:\S/u.test(text),
  };
}

/** The line end that a text uses; `\n` where it has none. */
export function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** The blanks that the line of an offset begins with. */
export function indentAt(text: string, offset: number): string {
  const lineStart = Math.max(
    text.lastIndexOf('\n', offset - 1),
    text.lastIndexOf('\r', offset - 1),
  );
  return /^[ \t]*/u.exec(text.slice(lineStart + 1))?.[0] ?? '';
}

/** Whether only blanks stand before an offset on its line. */
export function beginsLine(text: string, offset: number): boolean {
  return /(?:^|[\r\n])[ \t]*$/u.test(text.slice(Math.max(0, offset - 200), offset));
}

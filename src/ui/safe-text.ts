/**
 * What a terminal acts upon instead of showing it: C0 and C1 controls (ESC among them), line and
 * paragraph separators, the bidi overrides, embeddings and isolates that let a name pose as
 * another, the byte order mark, and halves of surrogate pairs. Right-to-left letters, joiners and
 * emoji are text and stay.
 */
const ACTED_UPON =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the point
  /[\u0000-\u001F\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069\uFEFF]|\p{Surrogate}/gu;

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\u001B': '\\e',
};

/** How wide a tab is shown inside a text; the terminal's own stops would break alignment. */
const TAB = '  ';

/**
 * A file name, title or message as one harmless line: whatever a terminal would act upon is shown
 * as an escape (`\n`, `\e`, `\u{202e}`), so that no name can move the cursor, forge a line or
 * reorder what stands beside it.
 */
export function safeLine(text: string): string {
  return text.replaceAll(ACTED_UPON, escapeOf);
}

/** One line of a document for reading: as {@link safeLine}, with tabs as blanks. */
export function safeProse(line: string): string {
  return safeLine(line.replaceAll('\t', TAB));
}

function escapeOf(character: string): string {
  const short = SHORT_ESCAPES[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  return code <= 0xff
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\u{${code.toString(16).padStart(4, '0')}}`;
}

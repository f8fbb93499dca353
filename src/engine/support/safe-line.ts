/**
 * Characters that control a terminal: C0 and C1 controls, line and paragraph separators, bidirectional overrides that
 * let a name pose as another, the byte order mark, and unpaired surrogates. Right-to-left letters, joiners and emoji
 * are text and are kept.
 */
export const CONTROL_CHARACTERS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the point
  /[\u0000-\u001F\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069\uFEFF]|\p{Surrogate}/gu;

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\u001B': '\\e',
};

/**
 * A file name, title or message as one line, with control characters shown as escapes (`\n`, `\e`, `\u{202e}`), so
 * that no name can move the cursor, forge a line or reorder its surroundings.
 */
export function safeLine(text: string): string {
  return text.replaceAll(CONTROL_CHARACTERS, escapeOf);
}

const ESCAPE = /\\(?:[tnre]|x(?<short>[0-9a-f]{2})|u\{(?<long>[0-9a-f]{4})\})/gu;
const CHARACTERS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(SHORT_ESCAPES).map(([character, shown]) => [shown, character]),
);

/** The inverse of {@link safeLine}, for a name that was copied from what svc has shown. */
export function unescapedLine(shown: string): string {
  return shown.replaceAll(ESCAPE, (sequence, short?: string, long?: string) => {
    const code = short ?? long;
    return code === undefined
      ? (CHARACTERS[sequence] ?? sequence)
      : String.fromCodePoint(Number.parseInt(code, 16));
  });
}

function escapeOf(character: string): string {
  const short = SHORT_ESCAPES[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  return code <= 0xff
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\u{${code.toString(16).padStart(4, '0')}}`;
}

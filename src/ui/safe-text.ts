/**
 * Characters that control a terminal: C0 and C1 controls, line and paragraph separators, bidirectional overrides that
 * let a name pose as another, the byte order mark, and unpaired surrogates. Right-to-left letters, joiners and emoji
 * are text and are kept.
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

/** Tab stops of the terminal would break alignment. */
const TAB = '  ';

/**
 * A file name, title or message as one line, with control characters shown as escapes (`\n`, `\e`, `\u{202e}`), so
 * that no name can move the cursor, forge a line or reorder its surroundings.
 */
export function safeLine(text: string): string {
  return text.replaceAll(ACTED_UPON, escapeOf);
}

/** Like {@link safeLine}, for a line of a document: tabs become blanks. */
export function safeProse(line: string): string {
  return safeLine(line.replaceAll('\t', TAB));
}

/** JSON, or what was selected from it, with control characters as JSON escapes them; line ends and tabs are kept. */
export function safeJson(text: string): string {
  return text.replaceAll(ACTED_UPON, (character) =>
    character === '\n' || character === '\t'
      ? character
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** {@link safeProse} for a text of several lines. */
export function safeLines(text: string): string {
  return text.split(/\r?\n/u).map(safeProse).join('\n');
}

function escapeOf(character: string): string {
  const short = SHORT_ESCAPES[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  return code <= 0xff
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\u{${code.toString(16).padStart(4, '0')}}`;
}

/** A path to show: the home folder as `~`, safe for the terminal. */
export function shownPath(path: string, homeDir: string): string {
  const home = homeDir.endsWith('/') ? homeDir.slice(0, -1) : homeDir;
  const below = home !== '' && path.startsWith(`${home}/`);
  return safeLine(below ? `~${path.slice(home.length)}` : path);
}

/** Objects and lists on several lines; everything else as it is. */
export function spacedJson(text: string): string {
  if (!/^\s*[[{]/u.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

/** JSON without characters that control a terminal. */
export function renderJson(value: unknown): string {
  return safeJson(JSON.stringify(value, null, 2) ?? 'null');
}

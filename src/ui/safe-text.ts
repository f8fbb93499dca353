import { CONTROL_CHARACTERS, safeLine } from '../engine/support/safe-line.js';

export { safeLine };

/** Tab stops of the terminal would break alignment. */
const TAB = '  ';

/** Like {@link safeLine}, for a line of a document: tabs become blanks. */
export function safeProse(line: string): string {
  return safeLine(line.replaceAll('\t', TAB));
}

/** JSON, or a part of it, with control characters escaped as in JSON strings; line breaks and tabs are kept. */
export function safeJson(text: string): string {
  return text.replaceAll(CONTROL_CHARACTERS, (character) =>
    character === '\n' || character === '\t'
      ? character
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** {@link safeProse} for a text of several lines. */
export function safeLines(text: string): string {
  return text.split(/\r?\n/u).map(safeProse).join('\n');
}

/** A path to show: the home folder as `~`, safe for the terminal. */
export function shownPath(path: string, homeDir: string): string {
  const home = homeDir.endsWith('/') ? homeDir.slice(0, -1) : homeDir;
  const below = home !== '' && path.startsWith(`${home}/`);
  return safeLine(below ? `~${path.slice(home.length)}` : path);
}

/** A JSON object or array, indented; any other text unchanged. */
export function indentJson(text: string): string {
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

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

const JSON_TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]|[^\s"[\]{},:]+/gu;

/** Of JSON with more levels, little but indentation would be left. */
const MOST_LEVELS = 64;

/**
 * A JSON object or array, indented; any other text unchanged, and what is nested more deeply than 64 levels. Token by
 * token: JSON.parse would round 64-bit numbers, and drop duplicate fields.
 */
export function indentJson(text: string): string {
  if (!isJsonList(text)) return text;
  let indented = '';
  let depth = 0;
  let last = '';
  const newLine = (): string => `\n${'  '.repeat(depth)}`;
  for (const [token] of text.matchAll(JSON_TOKEN)) {
    const closes = token === ']' || token === '}';
    if (closes) depth -= 1;
    // Neither in an empty list, nor after a comma, which has a line break.
    if (opens(last) !== closes) indented += newLine();
    if (opens(token)) depth += 1;
    if (depth > MOST_LEVELS) return text;
    if (token === ',') indented += `,${newLine()}`;
    else if (token === ':') indented += ': ';
    else indented += token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : token;
    last = token;
  }
  return indented;
}

function opens(token: string): boolean {
  return token === '[' || token === '{';
}

function isJsonList(text: string): boolean {
  try {
    return /^\s*[[{]/u.test(text) && JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}

/** JSON without characters that control a terminal. */
export function renderJson(value: unknown): string {
  return safeJson(JSON.stringify(value, null, 2) ?? 'null');
}

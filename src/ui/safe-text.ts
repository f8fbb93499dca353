import { isTooDeep } from '../engine/support/json-fault.js';
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

/**
 * A JSON object or array, indented; any other text unchanged, and what is nested so deeply that little but indentation
 * would be left. Token by token: JSON.parse would round 64-bit numbers, and drop duplicate fields.
 */
export function indentJson(text: string): string {
  if (!isIndentable(text)) return text;
  let depth = 0;
  let last = '';
  const newLine = (): string => `\n${'  '.repeat(depth)}`;
  return Array.from(text.matchAll(JSON_TOKEN), ([token]) => {
    const before = last;
    last = token;
    const isFirst = '[{'.includes(before);
    if (']}'.includes(token)) {
      depth -= 1;
      return isFirst ? token : `${newLine()}${token}`;
    }
    const space = isFirst && depth > 0 ? newLine() : '';
    if ('[{'.includes(token)) depth += 1;
    if (token === ',') return `,${newLine()}`;
    if (token === ':') return ': ';
    return `${space}${token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : token}`;
  }).join('');
}

function isIndentable(text: string): boolean {
  try {
    return /^\s*[[{]/u.test(text) && !isTooDeep(JSON.parse(text));
  } catch {
    return false;
  }
}

/** JSON without characters that control a terminal. */
export function renderJson(value: unknown): string {
  return safeJson(JSON.stringify(value, null, 2) ?? 'null');
}

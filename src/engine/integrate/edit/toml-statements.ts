/** A line of a TOML text, or several where a value spans them. Together they are the whole text. */
export interface TomlStatement {
  readonly kind: 'blank' | 'comment' | 'header' | 'value';
  readonly start: number;
  /** After its line end. */
  readonly end: number;
  /** The dotted key of a header or value; empty for the rest. */
  readonly key: readonly string[];
  /** A header of a list of tables (`[[…]]`). */
  readonly isList: boolean;
}

/**
 * Takes a valid TOML text apart, far enough to know where tables and values begin and end (TOML 1.0:
 * "Comment", "Keys", "String", "Array", "Table").
 */
export function tomlStatements(text: string): readonly TomlStatement[] {
  const statements: TomlStatement[] = [];
  let at = 0;
  while (at < text.length) {
    const statement = statementAt(text, at);
    statements.push(statement);
    at = statement.end;
  }
  return statements;
}

function statementAt(text: string, start: number): TomlStatement {
  const first = start + (/^[ \t]*/u.exec(text.slice(start, start + 1000))?.[0].length ?? 0);
  const line = { start, end: lineEnd(text, first), key: [], isList: false };
  const character = text[first];
  if (character === '#') return { ...line, kind: 'comment' };
  if (character === undefined || character === '\r' || character === '\n') {
    return { ...line, kind: 'blank' };
  }
  if (character === '[') {
    const isList = text[first + 1] === '[';
    return { ...line, kind: 'header', key: keyAt(text, first + (isList ? 2 : 1)), isList };
  }
  return { ...line, kind: 'value', key: keyAt(text, first), end: valueEnd(text, first) };
}

/** After the line end that comes next. */
function lineEnd(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at === -1 ? text.length : at + 1;
}

const KEY_PART = /[ \t]*(?:([A-Za-z0-9_-]+)|"((?:\\.|[^"\\\r\n])*)"|'([^'\r\n]*)')[ \t]*(\.)?/uy;

function keyAt(text: string, from: number): readonly string[] {
  const key: string[] = [];
  KEY_PART.lastIndex = from;
  for (let more = true; more; ) {
    const part = KEY_PART.exec(text);
    if (part === null) break;
    const [, bare, quoted, literal, dot] = part;
    key.push(bare ?? literal ?? unescaped(quoted ?? ''));
    more = dot !== undefined;
  }
  return key;
}

function unescaped(quoted: string): string {
  try {
    const value: unknown = JSON.parse(`"${quoted}"`);
    return typeof value === 'string' ? value : quoted;
  } catch {
    // An escape that JSON does not have; such a key is not one of ours.
    return quoted;
  }
}

/** Texts of all four kinds first, since brackets and line ends inside them are none. */
const TOKEN =
  /"""(?:\\[\s\S]|(?!""")[\s\S])*"{3,5}|'''(?:(?!''')[\s\S])*'{3,5}|"(?:\\.|[^"\\\r\n])*"|'[^'\r\n]*'|#[^\r\n]*|\r?\n|[[{]|[\]}]|[^"'#\r\n[{\]}]+|[\s\S]/uy;

/** After the line end behind the value whose key begins here. */
function valueEnd(text: string, from: number): number {
  let depth = 0;
  TOKEN.lastIndex = from;
  for (let token = TOKEN.exec(text)?.[0]; token !== undefined; token = TOKEN.exec(text)?.[0]) {
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    else if (depth <= 0 && token.endsWith('\n') && token.trim() === '') return TOKEN.lastIndex;
    if (TOKEN.lastIndex >= text.length) break;
  }
  return text.length;
}

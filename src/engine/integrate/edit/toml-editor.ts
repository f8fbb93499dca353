import { parse, TomlError } from 'smol-toml';
import { textPositions } from '../../config/authoring.js';
import type { ConfigPath } from '../../config/index.js';
import { SvcError } from '../../errors/index.js';
import { eolOf, parsedJson } from '../../support/text.js';
import { type DocumentEditor, type EntryValue, HIDDEN } from './document-editor.js';

/**
 * Edits TOML by whole tables: each entry is a table (`[mcp_servers.svc]`) at the end of the text. Inline
 * tables and dotted keys are read but not edited; the caller compares the data before and after each edit,
 * so such a file is refused and not damaged.
 */
export const tomlEditor: DocumentEditor = {
  read(file, text) {
    try {
      return parse(text, { integersAsBigInt: 'asNeeded' });
    } catch (error) {
      if (!(error instanceof TomlError)) throw error;
      const { line, column } = error;
      throw new SvcError('INTEGRATION_FILE_INVALID', `${file} is not valid: ${firstLine(error)}`, {
        hint: 'fix the file by hand; nothing was written',
        location: { file, line, column },
        cause: error,
      });
    }
  },
  insert(_file, text, path, value) {
    const eol = eolOf(text);
    const lines = [`[${path.map((part) => tomlKey(String(part))).join('.')}]`];
    for (const [key, item] of entriesOf(value)) lines.push(`${tomlKey(key)} = ${tomlText(item)}`);
    const lineEnd = text === '' || text.endsWith('\n') ? '' : eol;
    const blankLine = text === '' || /(?:^|\n)[ \t]*\r?\n$/u.test(text) ? '' : eol;
    return [{ offset: text.length, text: `${lineEnd}${blankLine}${lines.join(eol)}${eol}` }];
  },
  setKeys(text, path, values) {
    return Object.entries(values).reduce(
      (edited, [key, value]) => withKey(edited, path, key, value),
      text,
    );
  },
  remove(text, path) {
    return tablesAt(text, path)
      .toReversed()
      .reduce((rest, table) => withoutTable(rest, table), text);
  },
  isBare: () => false,
  locate(file, text, path) {
    const statements = tomlStatements(text);
    const nearest = path
      .map((_, at) => path.slice(0, path.length - at))
      .flatMap((near) => statements.filter((statement) => isBelow(statement.path, near)));
    return textPositions(file, text)(nearest[0]?.start ?? 0);
  },
  hideOthers(text, shown) {
    return tomlStatements(text)
      .map(({ kind, path, start, end }) => {
        const statement = text.slice(start, end);
        if (kind !== 'value') return statement;
        if (shown !== undefined && isBelow(path, shown)) return statement;
        const key = /^[^=]*=/u.exec(statement)?.[0] ?? '';
        return `${key} "${HIDDEN}"${/\r?\n$/u.exec(statement)?.[0] ?? ''}`;
      })
      .join('');
  },
};

/** The parser's message continues with lines of the file, which may contain secrets. */
function firstLine(error: TomlError): string {
  return (error.message.split('\n')[0] ?? '').replace(/^Invalid TOML document: /u, '');
}

function entriesOf(value: EntryValue): readonly (readonly [string, EntryValue])[] {
  return typeof value === 'object' ? Object.entries(value) : [];
}

function isBelow(path: readonly string[], above: ConfigPath): boolean {
  return above.every((part, at) => path[at] === part);
}

/** The tables at and below a path, in the order of the text. */
function tablesAt(text: string, path: ConfigPath) {
  const statements = tomlStatements(text);
  return statements.flatMap((header, at) => {
    if (header.kind !== 'header' || !isBelow(header.path, path)) return [];
    const rest = statements.slice(at + 1);
    const next = rest.findIndex(({ kind }) => kind === 'header');
    const values = (next === -1 ? rest : rest.slice(0, next)).filter(
      ({ kind }) => kind === 'value',
    );
    // Later comments may belong to the next table.
    return [{ header, values, end: values.at(-1)?.end ?? header.end }];
  });
}

/** Removes a table, with the empty line before it. */
function withoutTable(text: string, { header, end }: ReturnType<typeof tablesAt>[number]): string {
  const before = text.slice(0, header.start);
  const after = text.slice(end);
  const gap = /(?:^|\n)(\r?\n)$/u.exec(before)?.[1] ?? '';
  const isFollowedByBlank = after === '' || /^[ \t]*\r?\n/u.test(after);
  return (isFollowedByBlank ? before.slice(0, before.length - gap.length) : before) + after;
}

function withKey(
  text: string,
  path: ConfigPath,
  key: string,
  value: EntryValue | undefined,
): string {
  // The key may also be a table below.
  const rest = tablesAt(text, [...path, key])
    .toReversed()
    .reduce((edited, below) => withoutTable(edited, below), text);
  const table = tablesAt(rest, path).find(({ header }) => header.path.length === path.length);
  if (table === undefined) return text;
  const old = table.values.filter((statement) => statement.path[path.length] === key);
  const line = value === undefined ? '' : `${tomlKey(key)} = ${tomlText(value)}${eolOf(text)}`;
  const [first] = old;
  const offset = first?.start ?? table.end;
  const gap = offset > 0 && rest[offset - 1] !== '\n' && line !== '' ? eolOf(text) : '';
  let edited = rest;
  for (const { start, end } of old.toReversed()) {
    edited = edited.slice(0, start) + edited.slice(end);
  }
  return edited.slice(0, offset) + gap + line + edited.slice(offset);
}

/** One or more lines of a TOML text. All statements together are the whole text. */
interface TomlStatement {
  readonly kind: 'blank' | 'comment' | 'header' | 'value';
  readonly start: number;
  /** After its line ending. */
  readonly end: number;
  /** Of the table or value, from the root; of other lines, that of the table they are in. */
  readonly path: readonly string[];
}

/**
 * Splits a valid TOML text into tables and values (TOML 1.0: "Comment", "Keys", "String", "Array",
 * "Table").
 */
export function tomlStatements(text: string): readonly TomlStatement[] {
  const statements: TomlStatement[] = [];
  let table: readonly string[] = [];
  for (let at = 0; at < text.length; ) {
    const statement = statementAt(text, at, table);
    statements.push(statement);
    if (statement.kind === 'header') table = statement.path;
    at = statement.end;
  }
  return statements;
}

function statementAt(text: string, start: number, table: readonly string[]): TomlStatement {
  const first = start + (/^[ \t]*/u.exec(text.slice(start, start + 1000))?.[0].length ?? 0);
  const line = { start, end: lineEnd(text, first), path: table };
  const character = text[first];
  if (character === '#') return { ...line, kind: 'comment' };
  if (character === undefined || character === '\r' || character === '\n') {
    return { ...line, kind: 'blank' };
  }
  if (character === '[') {
    // Of a table, or of an array of tables (`[[…]]`).
    const at = first + (text[first + 1] === '[' ? 2 : 1);
    return { ...line, kind: 'header', path: keyAt(text, at) };
  }
  const path = [...table, ...keyAt(text, first)];
  return { ...line, kind: 'value', path, end: valueEnd(text, first) };
}

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
    key.push(bare ?? literal ?? unescapeString(quoted ?? ''));
    more = dot !== undefined;
  }
  return key;
}

function unescapeString(quoted: string): string {
  const value = parsedJson(`"${quoted}"`);
  // JSON lacks some of the escapes; svc writes no key with them.
  return typeof value === 'string' ? value : quoted;
}

/** All four kinds of strings come first, since brackets and line endings inside them do not count. */
const TOKEN =
  /"""(?:\\[\s\S]|(?!""")[^\\])*"{3,5}|'''(?:(?!''')[\s\S])*'{3,5}|"(?:\\.|[^"\\\r\n])*"?|'[^'\r\n]*'|#[^\r\n]*|\r?\n|[[{]|[\]}]|[^"'#\r\n[{\]}]+|[\s\S]/uy;

/** The end of the line of the value whose key starts here. */
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

const BARE_KEY = /^[A-Za-z0-9_-]+$/u;

/** A value in TOML, on one line. */
function tomlText(value: EntryValue): string {
  if (typeof value === 'string') return basicString(value);
  if (typeof value !== 'object') return String(value);
  if (isList(value)) return `[${value.map(tomlText).join(', ')}]`;
  const entries = Object.entries(value).map(([key, item]) => `${tomlKey(key)} = ${tomlText(item)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

function tomlKey(key: string): string {
  return BARE_KEY.test(key) ? key : basicString(key);
}

/** TOML has all escapes of JSON; only DEL needs one more. */
function basicString(text: string): string {
  return JSON.stringify(text).replaceAll('\u007F', '\\u007F');
}

function isList(value: EntryValue): value is readonly EntryValue[] {
  return Array.isArray(value);
}

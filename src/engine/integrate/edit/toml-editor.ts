import { parse, TomlError } from 'smol-toml';
import type { ConfigPath } from '../../config/config-path.js';
import { createTextPositions } from '../../config/source-text.js';
import { SvcError } from '../../errors/index.js';
import type { DocumentEditor, EntryValue } from './document-editor.js';
import { HIDDEN } from './hidden.js';
import { eolOf } from './layout.js';
import { type TomlStatement, tomlStatements } from './toml-statements.js';
import { tomlKey, tomlText } from './toml-text.js';

/**
 * Edits TOML by whole tables: an entry is a table of its own (`[mcp_servers.svc]`) at the end of the
 * text. What a table looks like otherwise (inline, dotted keys) is read, but not edited; the data is
 * compared before and after every edit, so that such a file is refused and not damaged.
 */
export const tomlEditor: DocumentEditor = {
  read(file, text) {
    try {
      return parse(text, { integersAsBigInt: 'asNeeded' });
    } catch (error) {
      if (!(error instanceof TomlError)) throw error;
      const { line, column } = error;
      throw new SvcError('INTEGRATION_FILE_INVALID', `${file} is broken: ${firstLine(error)}`, {
        hint: 'mend it by hand; nothing was written',
        location: { file, line, column },
        cause: error,
      });
    }
  },
  insert(_file, text, path, value) {
    const eol = eolOf(text);
    const lines = [`[${path.map((part) => tomlKey(String(part))).join('.')}]`];
    for (const [key, item] of entriesOf(value)) lines.push(`${tomlKey(key)} = ${tomlText(item)}`);
    const ended = text === '' || text.endsWith('\n') ? '' : eol;
    const apart = text === '' || /(?:^|\n)[ \t]*\r?\n$/u.test(text) ? '' : eol;
    return [{ offset: text.length, text: `${ended}${apart}${lines.join(eol)}${eol}` }];
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
    const statements = statementsWithPath(text);
    const found = path
      .map((_, at) => path.slice(0, path.length - at))
      .flatMap((near) => statements.filter(({ path: written }) => isBelow(written, near)));
    return createTextPositions(file, text).at(found[0]?.statement.start ?? 0);
  },
  hideOthers(text, shown) {
    return statementsWithPath(text)
      .map(({ statement, path }) => {
        const written = text.slice(statement.start, statement.end);
        if (statement.kind !== 'value') return written;
        if (shown !== undefined && isBelow(path, shown)) return written;
        const key = /^[^=]*=/u.exec(written)?.[0] ?? '';
        return `${key} "${HIDDEN}"${/\r?\n$/u.exec(written)?.[0] ?? ''}`;
      })
      .join('');
  },
};

/** The parser's message is followed by the lines around the fault, which may hold secrets. */
function firstLine(error: TomlError): string {
  return (error.message.split('\n')[0] ?? '').replace(/^Invalid TOML document: /u, '');
}

function entriesOf(value: EntryValue): readonly (readonly [string, EntryValue])[] {
  return typeof value === 'object' ? Object.entries(value) : [];
}

interface PlacedStatement {
  readonly statement: TomlStatement;
  /** From the root of the document. */
  readonly path: readonly string[];
}

function statementsWithPath(text: string): readonly PlacedStatement[] {
  let table: readonly string[] = [];
  return tomlStatements(text).map((statement) => {
    if (statement.kind === 'header') table = statement.key;
    return { statement, path: statement.kind === 'value' ? [...table, ...statement.key] : table };
  });
}

function isBelow(path: readonly string[], above: ConfigPath): boolean {
  return above.every((part, at) => path[at] === part);
}

/** A table as it is written: its header and what belongs to it. */
interface Table {
  readonly header: TomlStatement;
  readonly values: readonly TomlStatement[];
  /** After its last value: comments behind that may belong to the next table. */
  readonly end: number;
}

/** The table of a path and those below it, in the order of the text. */
function tablesAt(text: string, path: ConfigPath): readonly Table[] {
  const statements = tomlStatements(text);
  return statements.flatMap((header, at) => {
    if (header.kind !== 'header' || !isBelow(header.key, path)) return [];
    const rest = statements.slice(at + 1);
    const next = rest.findIndex(({ kind }) => kind === 'header');
    const values = (next === -1 ? rest : rest.slice(0, next)).filter(
      ({ kind }) => kind === 'value',
    );
    return [{ header, values, end: values.at(-1)?.end ?? header.end }];
  });
}

/** Cuts a table out, with the empty line that set it apart. */
function withoutTable(text: string, { header, end }: Table): string {
  const before = text.slice(0, header.start);
  const after = text.slice(end);
  const gap = /(?:^|\n)(\r?\n)$/u.exec(before)?.[1] ?? '';
  const closes = after === '' || /^[ \t]*\r?\n/u.test(after);
  return (closes ? before.slice(0, before.length - gap.length) : before) + after;
}

function withKey(
  text: string,
  path: ConfigPath,
  key: string,
  value: EntryValue | undefined,
): string {
  // As a table of its own below, or as one that is not written here at all.
  const rest = tablesAt(text, [...path, key])
    .toReversed()
    .reduce((edited, below) => withoutTable(edited, below), text);
  const table = tablesAt(rest, path).find(({ header }) => header.key.length === path.length);
  if (table === undefined) return text;
  const old = table.values.filter((statement) => statement.key[0] === key);
  const line = value === undefined ? '' : `${tomlKey(key)} = ${tomlText(value)}${eolOf(text)}`;
  const [first] = old;
  const place = first?.start ?? table.end;
  const gap = place > 0 && rest[place - 1] !== '\n' && line !== '' ? eolOf(text) : '';
  let edited = rest;
  for (const { start, end } of old.toReversed()) {
    edited = edited.slice(0, start) + edited.slice(end);
  }
  return edited.slice(0, place) + gap + line + edited.slice(place);
}

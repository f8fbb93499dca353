import { copyFileSync, existsSync, lstatSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf, SvcError, systemErrorCode } from '../../errors/index.js';
import { redactedStart, redactSecrets } from '../../masking/index.js';
import { type Connection, databaseFault, openDatabase } from '../../sqlite/database.js';
import { hasTable, queryValue } from '../../sqlite/query.js';
import { closing } from '../../support/async.js';
import { closingFence } from '../../support/code-fences.js';
import type { EngineContext } from '../../support/context.js';
import { namesIn, unlessSystemError } from '../../support/files.js';
import { formatCountOf } from '../../support/format.js';
import { WRITING_MS } from '../../support/replace-file.js';
import { firstChars, isRecord, parsedJson } from '../../support/text.js';
import {
  asImportError,
  type ImportedData,
  type ImportedEntry,
  invalidSource,
  isFolder,
  type LeftOutItem,
  readSource,
} from '../imported.js';

type Row = Readonly<Record<string, unknown>>;

const MAX_EXPORT_BYTES = 256 * 1024 * 1024;
const MAX_DATABASE_BYTES = 4 * 1024 * 1024 * 1024;
/** All texts together: they are in memory until they are written. */
const MAX_CHARACTERS = 256 * 1024 * 1024;
const MAX_FIELD_CHARACTERS = 20_000;

/**
 * Reads what claude-mem observed and summarized: its database, or a JSON export of it. The database is
 * copied first, since even reading it would create files next to it.
 *
 * @param path the database, an export, or the folder of the database
 * @throws SvcError IMPORT_*
 */
export function readClaudeMem(path: string | undefined, context: EngineContext): ImportedData {
  const start = path ?? dataFolder(context);
  const file = isFolder(start) ? join(start, 'claude-mem.db') : start;
  const leftOut: LeftOutItem[] = [];
  const collector = new EntryCollector();
  if (file.endsWith('.json')) readExport(file, collector, leftOut);
  else {
    removeStrayCopies(context.clock.now());
    readDatabase(file, collector, leftOut);
  }
  if (collector.skipped > 0) {
    const from = formatCountOf(collector.skipped, 'entry', 'entries');
    leftOut.push({ from, why: 'without a date or a text, or too many' });
  }
  return { source: file, settings: [], leftOut, entries: collector.sorted() };
}

/** The variable names it, else the settings in the default folder may. */
function dataFolder({ env, homeDir }: EngineContext): string {
  const override = env[DATA_FOLDER];
  if (override) return override;
  const folder = join(homeDir, '.claude-mem');
  const file = join(folder, 'settings.json');
  const root = existsSync(file) ? parsedJson(readSource(file)) : undefined;
  const settings = isRecord(root) && isRecord(root['env']) ? root['env'] : root;
  const named = isRecord(settings) ? settings[DATA_FOLDER] : undefined;
  return typeof named === 'string' && named !== '' ? named : folder;
}

const DATA_FOLDER = 'CLAUDE_MEM_DATA_DIR';

function readExport(file: string, collector: EntryCollector, leftOut: LeftOutItem[]): void {
  const root = parsedJson(readSource(file, MAX_EXPORT_BYTES));
  if (!isRecord(root) || !Array.isArray(root['observations'])) {
    throw invalidSource(file, 'it is not an export of claude-mem');
  }
  const { observations, summaries, prompts } = root;
  for (const row of rowsOf(observations)) collector.addObservation(row);
  for (const row of rowsOf(summaries)) collector.addSummary(row);
  leavePrompts(rowsOf(prompts).length, leftOut);
}

function rowsOf(value: unknown): readonly Row[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Hidden, since nobody names a folder of their own like that: those are deleted. */
const COPIES = '.svc-import-';

/** Removes the copies that killed imports left. */
function removeStrayCopies(nowMs: number): void {
  for (const name of namesIn(tmpdir()).filter((one) => one.startsWith(COPIES))) {
    const path = join(tmpdir(), name);
    unlessSystemError(() => {
      const { uid, mtimeMs } = lstatSync(path);
      // In a folder of somebody else, that user can replace parts by links while they are removed.
      const isOwn = uid === (process.getuid?.() ?? uid);
      if (isOwn && mtimeMs < nowMs - WRITING_MS) rmSync(path, { recursive: true });
    });
  }
}

function readDatabase(file: string, collector: EntryCollector, leftOut: LeftOutItem[]): void {
  const folder = mkdtempSync(join(tmpdir(), COPIES));
  try {
    const copy = copyDatabase(file, folder);
    // Not only for reading: opening a copy with a log applies the log.
    using database = closing(openDatabase(copy, { readonly: false, busyTimeoutMs: 0 }));
    database.pragma('trusted_schema = OFF');
    if (!hasTable(database, 'observations'))
      throw invalidSource(file, 'it is not a database of claude-mem');
    for (const row of tableRows(database, 'observations')) collector.addObservation(row);
    if (hasTable(database, 'session_summaries')) {
      for (const row of tableRows(database, 'session_summaries')) collector.addSummary(row);
    }
    if (hasTable(database, 'user_prompts')) {
      leavePrompts(queryValue(database, 'SELECT count(*) FROM user_prompts') ?? 0, leftOut);
    }
  } catch (cause) {
    if (databaseFault(cause) === 'disk_full') {
      throw new SvcError('IMPORT_FAILED', `cannot copy ${file} to ${tmpdir()}: the disk is full`, {
        hint: 'free some space there, or set TMPDIR to a folder on another disk',
        cause,
      });
    }
    if (cause instanceof Error && cause.name === 'SqliteError') {
      const isDatabase = systemErrorCode(cause) !== 'SQLITE_NOTADB';
      const advice = isDatabase ? '; close claude-mem and try again' : '';
      throw invalidSource(file, `${messageOf(cause)}${advice}`, cause);
    }
    throw asImportError(file, cause);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function copyDatabase(file: string, folder: string): string {
  const stats = statSync(file);
  // Copying a named pipe would wait for a writer.
  if (!stats.isFile()) throw invalidSource(file, 'it is not a regular file');
  if (stats.size > MAX_DATABASE_BYTES) throw invalidSource(file, 'it is too large');
  const copy = join(folder, 'claude-mem.db');
  copyFileSync(file, copy);
  if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${copy}-wal`);
  return copy;
}

function tableRows(database: Connection, table: 'observations' | 'session_summaries') {
  return database.prepare<[], Row>(`SELECT * FROM ${table} ORDER BY id`).iterate();
}

function leavePrompts(count: number, leftOut: LeftOutItem[]): void {
  if (count === 0) return;
  leftOut.push({
    from: `user_prompts: ${count}`,
    why: 'prompts are part of conversations; index those with sessions.readers',
  });
}

class EntryCollector {
  skipped = 0;
  private characters = 0;
  private readonly entries: ImportedEntry[] = [];

  addObservation(row: Row): void {
    const { type, title, subtitle, narrative, text, facts, files_modified: files } = row;
    const body = [
      prose(subtitle),
      prose(narrative) || prose(text),
      listOf(facts)
        .map((fact) => `- ${fact}`)
        .join('\n'),
      listOf(files).length === 0 ? '' : `Files: ${listOf(files).join(', ')}`,
    ];
    this.add('observation', row, line(title) || line(type), body);
  }

  addSummary(row: Row): void {
    const body = SUMMARY_FIELDS.map(([name, label]) => {
      const text = prose(row[name]);
      return text === '' ? '' : `${label}: ${text}`;
    });
    this.add('summary', row, line(row['request']) || 'Session', body);
  }

  sorted(): readonly ImportedEntry[] {
    return this.entries.toSorted((a, b) => a.atMs - b.atMs);
  }

  private add(kind: string, row: Row, title: string, body: readonly string[]): void {
    const atMs = timeOf(row);
    const texts = body.filter((part) => part !== '').map(withClosedCode);
    const { id } = row;
    const isUsable = typeof id === 'number' || (typeof id === 'string' && /^[\w-]+$/u.test(id));
    if (atMs === undefined || !isUsable || (title === '' && texts.length === 0)) {
      this.skipped += 1;
      return;
    }
    const project = line(row['project']);
    const heading = [title || kind, project === '' ? '' : `(${project})`].join(' ').trim();
    const text = redactSecrets([`## ${heading}`, ...texts].join('\n\n'));
    if (this.characters + text.length > MAX_CHARACTERS) {
      this.skipped += 1;
      return;
    }
    this.characters += text.length;
    // Databases of two machines have the same numbers.
    const at = new Date(atMs).toISOString();
    this.entries.push({ id: `${kind} ${id} of ${at}`, atMs, text });
  }
}

const SUMMARY_FIELDS = [
  ['investigated', 'Investigated'],
  ['learned', 'Learned'],
  ['completed', 'Completed'],
  ['next_steps', 'Next steps'],
  ['notes', 'Notes'],
] as const;

/** Seconds until here, milliseconds above. */
const MOST_SECONDS = 100_000_000_000;
const LAST_MS = Date.parse('9999-12-31');

function timeOf({ created_at_epoch: epoch, created_at: text }: Row): number | undefined {
  const written = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  const counted = typeof epoch === 'number' ? epoch : written;
  const ms = counted < MOST_SECONDS ? counted * 1000 : counted;
  return ms > 0 && ms < LAST_MS ? ms : undefined;
}

/** Text that begins no heading and no comment of its own. */
function prose(value: unknown): string {
  if (typeof value !== 'string') return '';
  return redactedStart(value, MAX_FIELD_CHARACTERS)
    .replaceAll('<!--', '<! --')
    .replace(/^(#{1,2}) /gmu, '### ')
    .trim();
}

function withClosedCode(text: string): string {
  const closing = closingFence(text.split('\n'));
  return closing === undefined ? text : `${text}\n${closing}`;
}

function line(value: unknown): string {
  return firstChars(prose(value).replace(/\s+/gu, ' '), 200).trim();
}

/** Lists are JSON in the database. */
function listOf(value: unknown): readonly string[] {
  const list = typeof value === 'string' ? parsedJson(value) : value;
  return Array.isArray(list)
    ? list
        .slice(0, 100)
        .map(line)
        .filter((item) => item !== '')
    : [];
}

import { existsSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { SvcError, systemReason } from '../../../errors/index.js';
import { type Connection, inWriteTransaction, openDatabase } from '../../../sqlite/database.js';
import {
  DURABLE_COMMITS,
  type FileFormat,
  formatVersion,
  openFormat,
} from '../../../sqlite/format.js';
import { queryRow, queryRows, queryValue, runSql } from '../../../sqlite/query.js';
import { closing } from '../../../support/async.js';
import { firstChars, oneLine, parsedJson } from '../../../support/text.js';
import type { FileFingerprint } from '../../types.js';
import { type StopPoint, stopPointIn } from '../transcripts/read-conversation.js';
import type { NumberedTurn } from '../transcripts/transcript-reader.js';

/** A conversation in the archive, without its text. */
export interface ArchivedSession extends FileFingerprint {
  /** As in citations: `sessions/claude-code/…`. */
  readonly path: string;
  /** Who wrote it: a reader, `chatgpt` or `claude`. */
  readonly reader: string;
  readonly title: string;
  /** ISO 8601; null where no turn has a time. */
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  /** 0 if there is nothing to keep: it is of another project, was forgotten, or dropped for a limit. */
  readonly turns: number;
  /** Compressed. */
  readonly bytes: number;
  /** Absolute path of the export that it was imported from. */
  readonly importedFrom: string | null;
}

/** An export that was read. */
export interface ImportRecord extends FileFingerprint {
  readonly file: string;
  /** Why it could not be read, or not completely. */
  readonly fault: string | null;
}

/** What {@link ArchiveStore.write} stores of a conversation. */
export interface SessionContent
  extends FileFingerprint,
    Pick<ArchivedSession, 'importedFrom' | 'path' | 'reader'> {
  /** Replaces that of the first turn. */
  readonly title?: string | undefined;
  readonly turns: readonly NumberedTurn[];
  /** Add the turns to those that are archived already. */
  readonly continues?: boolean;
  /** Where reading it continues; by default it is read from its beginning. */
  readonly resume?: StopPoint | undefined;
}

const STEPS = [
  `CREATE TABLE sessions (
     id INTEGER PRIMARY KEY,
     path TEXT NOT NULL UNIQUE,
     reader TEXT NOT NULL,
     title TEXT NOT NULL,
     started_at TEXT,
     ended_at TEXT,
     turns INTEGER NOT NULL,
     bytes INTEGER NOT NULL,
     size REAL NOT NULL,
     mtime_ms REAL NOT NULL,
     ctime_ms REAL NOT NULL,
     imported_from TEXT,
     resume TEXT
   );
   CREATE TABLE parts (
     session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
     number INTEGER NOT NULL,
     data BLOB NOT NULL,
     PRIMARY KEY (session, number)
   ) WITHOUT ROWID;
   CREATE TABLE imports (
     file TEXT PRIMARY KEY,
     size REAL NOT NULL,
     mtime_ms REAL NOT NULL,
     ctime_ms REAL NOT NULL,
     fault TEXT
   );`,
];
const FORMAT: FileFormat = {
  name: 'an archive of conversations',
  steps: STEPS,
  // "svca".
  applicationId: 0x73766361,
  pragmas: ['auto_vacuum = FULL', ...DURABLE_COMMITS, 'secure_delete = ON', 'foreign_keys = ON'],
  refusals: { foreign: 'ARCHIVE_UNUSABLE', newer: 'ARCHIVE_UNUSABLE' },
};
const BUSY_MS = 5000;

/** Text per part, before compression: a growing conversation rewrites only the last one. */
const PART_CHARS = 256 * 1024;
/** More than a part can have: a turn has at most a line of a transcript. */
const MOST_PART_BYTES = 128 * 1024 * 1024;
const TITLE_CHARS = 80;

/**
 * The archive of conversations as an SQLite file, readable only by its owner: their turns as gzipped JSON lines.
 * Each change of a conversation is one transaction. Deleted text is overwritten with zeros.
 */
export class ArchiveStore {
  private readonly database: Connection;

  private constructor(database: Connection) {
    this.database = database;
  }

  /** Uses an archive. @returns undefined if there is none @throws SvcError ARCHIVE_UNUSABLE */
  static read<T>(file: string, use: (store: ArchiveStore) => T): T | undefined {
    if (!existsSync(file)) return undefined;
    return withArchiveErrors(file, () => {
      // Only a connection that may write can undo what a killed process left half done.
      using database = closing(openDatabase(file, { readonly: false, busyTimeoutMs: BUSY_MS }));
      // Its creation was interrupted.
      if (formatVersion(database, FORMAT) === 0) return undefined;
      return use(new ArchiveStore(database));
    });
  }

  /** Opens an archive to change it, and creates it if needed; close it afterwards. @throws SvcError ARCHIVE_UNUSABLE */
  static open(file: string): ArchiveStore {
    return withArchiveErrors(file, () => new ArchiveStore(openFormat(file, FORMAT, BUSY_MS)));
  }

  close(): void {
    this.database.close();
  }

  /** All or nothing. */
  transaction(change: () => void): void {
    inWriteTransaction(this.database, change);
  }

  sessions(): readonly ArchivedSession[] {
    return queryRows(
      this.database,
      `SELECT path, reader, title, started_at AS startedAt, ended_at AS endedAt, turns, bytes, size,
         mtime_ms AS mtimeMs, ctime_ms AS ctimeMs, imported_from AS importedFrom
       FROM sessions ORDER BY path`,
    );
  }

  imports(): readonly ImportRecord[] {
    return queryRows(
      this.database,
      'SELECT file, size, mtime_ms AS mtimeMs, ctime_ms AS ctimeMs, fault FROM imports',
    );
  }

  writeImport({ file, size, mtimeMs, ctimeMs, fault }: ImportRecord): void {
    const sql = 'INSERT OR REPLACE INTO imports VALUES (?, ?, ?, ?, ?)';
    runSql(this.database, sql, file, size, mtimeMs, ctimeMs, fault);
  }

  /** Where reading a transcript continues; undefined to read it from its beginning. */
  resumeOf(path: string): StopPoint | undefined {
    const text = queryValue(this.database, 'SELECT resume FROM sessions WHERE path = ?', path);
    return typeof text === 'string' ? stopPointIn(parsedJson(text)) : undefined;
  }

  /** The turns of a conversation; nothing for an unknown one. A part is in memory at a time. */
  *turns(path: string): Generator<NumberedTurn> {
    const next = this.database.prepare<
      [string, number],
      { readonly number: number; readonly data: Buffer }
    >(
      `SELECT number, data FROM parts
         WHERE session = (SELECT id FROM sessions WHERE path = ?) AND number > ? ORDER BY number`,
    );
    for (let part = next.get(path, -1); part !== undefined; part = next.get(path, part.number)) {
      yield* unpack(part.data);
    }
  }

  write(content: SessionContent): void {
    const { path, reader, turns, importedFrom, resume, size, mtimeMs, ctimeMs } = content;
    const known = this.sessionAt(path);
    const before = content.continues === true ? known : undefined;
    if (known !== undefined && before === undefined) this.dropText(known.id);
    const title = content.title ?? (before?.title || titleOf(turns));
    const times = turns.flatMap(({ at }) => at ?? []);
    const id = queryValue<number>(
      this.database,
      `INSERT INTO sessions (path, reader, title, started_at, ended_at, turns, bytes, size, mtime_ms,
         ctime_ms, imported_from, resume)
       VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?)
       ON CONFLICT (path) DO UPDATE SET (reader, title, started_at, ended_at, turns, size, mtime_ms,
         ctime_ms, imported_from, resume) = (excluded.reader, excluded.title, excluded.started_at,
         excluded.ended_at, excluded.turns, excluded.size, excluded.mtime_ms, excluded.ctime_ms,
         excluded.imported_from, excluded.resume)
       RETURNING id`,
      path,
      reader,
      title,
      before?.startedAt ?? times[0] ?? null,
      times.at(-1) ?? before?.endedAt ?? null,
      (before?.turns ?? 0) + turns.length,
      size,
      mtimeMs,
      ctimeMs,
      importedFrom,
      resume === undefined ? null : JSON.stringify(resume),
    );
    if (id === undefined) throw new Error('nothing was inserted');
    this.append(id, turns);
  }

  /** Makes every transcript and export count as changed. */
  markAllChanged(): void {
    this.transaction(() => {
      // Not READ_AGAIN_MS, which the index stores: an archived conversation would count as read.
      this.database.exec('UPDATE sessions SET ctime_ms = -2, resume = NULL');
      this.database.exec('UPDATE imports SET ctime_ms = -2');
    });
  }

  /** Removes the text of a conversation, but remembers what its transcript was: it is not archived again as it is. */
  drop(path: string): void {
    const known = this.sessionAt(path);
    if (known !== undefined) this.dropText(known.id);
  }

  remove(path: string): void {
    runSql(this.database, 'DELETE FROM sessions WHERE path = ?', path);
  }

  private append(id: number, turns: readonly NumberedTurn[]): void {
    if (turns.length === 0) return;
    const last = queryRow<{ readonly number: number; readonly data: Buffer }>(
      this.database,
      'SELECT number, data FROM parts WHERE session = ? ORDER BY number DESC LIMIT 1',
      id,
    );
    const put = this.database.prepare('INSERT OR REPLACE INTO parts VALUES (?, ?, ?)');
    let number = last?.number ?? 0;
    // The last part is filled up, so that many small additions do not become many parts.
    let lines = last === undefined ? [] : unpack(last.data).map((turn) => JSON.stringify(turn));
    let chars = lines.reduce((sum, line) => sum + line.length, 0);
    for (const turn of turns) {
      const line = JSON.stringify(turn);
      if (chars > 0 && chars + line.length > PART_CHARS) {
        put.run(id, number, pack(lines));
        number += 1;
        lines = [];
        chars = 0;
      }
      lines.push(line);
      chars += line.length;
    }
    put.run(id, number, pack(lines));
    runSql(
      this.database,
      'UPDATE sessions SET bytes = (SELECT sum(length(data)) FROM parts WHERE session = ?) WHERE id = ?',
      id,
      id,
    );
  }

  private dropText(id: number): void {
    runSql(this.database, 'DELETE FROM parts WHERE session = ?', id);
    const empty =
      "UPDATE sessions SET turns = 0, bytes = 0, title = '', resume = NULL WHERE id = ?";
    runSql(this.database, empty, id);
  }

  private sessionAt(path: string) {
    return queryRow<
      Pick<ArchivedSession, 'endedAt' | 'startedAt' | 'title' | 'turns'> & { id: number }
    >(
      this.database,
      'SELECT id, title, started_at AS startedAt, ended_at AS endedAt, turns FROM sessions WHERE path = ?',
      path,
    );
  }
}

/** The beginning of the first message of the user, on one line. */
export function titleOf(turns: readonly NumberedTurn[]): string {
  const first = turns.find(({ role }) => role === 'user') ?? turns[0];
  const line = oneLine(firstChars(first?.text ?? '', 4 * TITLE_CHARS));
  return line.length > TITLE_CHARS ? `${firstChars(line, TITLE_CHARS - 1).trimEnd()}…` : line;
}

function pack(lines: readonly string[]): Buffer {
  return gzipSync(lines.join('\n'));
}

function unpack(data: Buffer): readonly NumberedTurn[] {
  const text = gunzipSync(data, { maxOutputLength: MOST_PART_BYTES }).toString('utf8');
  return text.split('\n').map((line) => JSON.parse(line));
}

/** Throws errors of SQLite and of the file system as ARCHIVE_UNUSABLE. */
function withArchiveErrors<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw archiveUnusable(file, error);
  }
}

/** Anything but an SvcError as ARCHIVE_UNUSABLE. */
export function archiveUnusable(file: string, error: unknown): SvcError {
  if (error instanceof SvcError) return error;
  const message = `cannot use the archive ${file}: ${systemReason(error)}`;
  const hint = 'check its permissions and the free disk space, or restore it from a backup';
  return new SvcError('ARCHIVE_UNUSABLE', message, { hint, cause: error });
}

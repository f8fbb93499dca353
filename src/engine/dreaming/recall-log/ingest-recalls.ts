import { hash } from 'node:crypto';
import { existsSync, fstatSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../../errors/index.js';
import { type Connection, inWriteTransaction } from '../../sqlite/database.js';
import { queryValue, runSql } from '../../sqlite/query.js';
import { withFile } from '../../support/files.js';
import { claimKeyOf } from '../claims/claim-words.js';
import { containsSecret } from '../claims/junk.js';
import type { DreamWorkspace } from '../dream-workspace.js';
import type { OpenDreams } from '../store/dream-database.js';
import { parseRecallLine, type RecalledClaim } from './recall-log.js';
import type { SharedRecalls } from './shared-recalls.js';

interface Inbox extends Pick<OpenDreams, 'database' | 'entries'> {
  readonly workspace: DreamWorkspace;
  /** The logs of shared memories, with the searches of all hosts. */
  readonly logs: readonly SharedRecalls[];
  /** The day of a moment. */
  readonly dayOf: (ms: number) => string;
  /** Whether to rotate a long log. */
  readonly rotates: boolean;
}

const PIECE_BYTES = 1024 * 1024;
const ROTATE_BYTES = 4 * 1024 * 1024;
const LINE_END = 10;

/**
 * Ingests what was logged since the last time, exactly once: claims and the log position are committed
 * together, so a killed sweep counts nothing twice. A line still being written is left for next time.
 *
 * @returns how many searches
 * @throws SvcError STORAGE_*
 */
export async function ingestRecalls(inbox: Inbox): Promise<number> {
  const { recallLog, rotatedLog } = inbox.workspace.files;
  let searches = ingestFile(inbox, rotatedLog) + ingestFile(inbox, recallLog);
  if (inbox.rotates) rotate(inbox);
  for (const log of inbox.logs) searches += await ingestShared(inbox, log);
  return searches;
}

async function ingestShared(inbox: Inbox, log: SharedRecalls): Promise<number> {
  // Of other hosts' claims, those count that are in this workspace too.
  const isHere = ({ origin, source, path }: RecalledClaim): boolean =>
    origin === log.place.origin ||
    (source === 'memory' && existsSync(join(inbox.workspace.dir, path)));
  const name = await log.name();
  let searches = 0;
  while (name !== undefined) {
    const rows = await log.after(readPosition(inbox.database, name));
    const last = rows.at(-1);
    if (last === undefined) break;
    const lines = rows.map(({ line }) => line);
    searches += ingestLines(inbox, { name, end: last.number, lines, isHere });
  }
  if (inbox.rotates) await log.prune();
  return searches;
}

function ingestFile(inbox: Inbox, file: string): number {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return 0;
  // Opening a named pipe would wait for a writer.
  if (!stats.isFile())
    throw new SvcError('DREAM_STORE_UNUSABLE', `${file} is not a regular file`, {
      hint: 'move it away',
    });
  return withFile(file, 'r', (descriptor) => {
    const name = nameOf(descriptor, inbox.database);
    let searches = 0;
    while (name !== undefined) {
      const start = readPosition(inbox.database, name);
      const { lines, bytes } = wholeLines(descriptor, start);
      if (bytes === 0) break;
      searches += ingestLines(inbox, { name, end: start + bytes, lines, isHere: () => true });
    }
    return searches;
  });
}

/**
 * Identifies a log by its first line, which has the time of a search: whatever its path, and also in a copy of the state
 * folder. Undefined for a log without a complete line.
 */
function nameOf(descriptor: number, database: Connection): string | undefined {
  const [first] = wholeLines(descriptor, 0).lines;
  if (first === undefined) return undefined;
  const name = hash('sha256', first);
  // Version 0.1 identified a log by its file.
  const { ino, birthtimeMs } = fstatSync(descriptor);
  const before = `${ino}:${Math.floor(birthtimeMs)}`;
  runSql(database, 'UPDATE OR IGNORE inbox SET file = ? WHERE file = ?', name, before);
  return name;
}

interface LoggedLines {
  /** Of the log. */
  readonly name: string;
  /** The position in the log after these lines. */
  readonly end: number;
  readonly lines: readonly string[];
  /** Whether a claim may be in this workspace. */
  readonly isHere: (claim: RecalledClaim) => boolean;
}

function ingestLines(
  { database, entries, dayOf }: Inbox,
  { name, end, lines, isHere }: LoggedLines,
): number {
  const recalls = lines.flatMap((line) => parseRecallLine(line) ?? []);
  inWriteTransaction(database, () => {
    for (const { atMs, queryHash, claims } of recalls) {
      const day = dayOf(atMs);
      for (const { origin: _, ...claim } of claims.filter(isHere)) {
        // The search already skips secrets, but an older version or an edit may have added one.
        if (containsSecret(claim.text)) continue;
        const key = claimKeyOf(claim.text);
        entries.add({ ...claim, kind: 'recall', key, atMs, queryHash, day });
      }
    }
    runSql(database, 'INSERT OR REPLACE INTO inbox (file, bytes) VALUES (?, ?)', name, end);
  });
  return recalls.length;
}

function readPosition(database: Connection, name: string): number {
  return queryValue<number>(database, 'SELECT bytes FROM inbox WHERE file = ?', name) ?? 0;
}

/** Complete lines from an offset, up to one piece; a line longer than a piece counts as broken. */
function wholeLines(descriptor: number, start: number) {
  const buffer = Buffer.allocUnsafe(PIECE_BYTES);
  const read = readSync(descriptor, buffer, 0, PIECE_BYTES, start);
  const end = buffer.subarray(0, read).lastIndexOf(LINE_END) + 1;
  const bytes = end === 0 && read === PIECE_BYTES ? read : end;
  const text = buffer.toString('utf8', 0, bytes);
  return { lines: text.split('\n').filter((line) => line !== ''), bytes };
}

/** The rotated log is read again next time: a search may still be appending to it. */
function rotate({ database, workspace: { files } }: Inbox): void {
  const size = statSync(files.recallLog, { throwIfNoEntry: false })?.size ?? 0;
  if (size < ROTATE_BYTES) return;
  rmSync(files.rotatedLog, { force: true });
  renameSync(files.recallLog, files.rotatedLog);
  const name = withFile(files.rotatedLog, 'r', (descriptor) => nameOf(descriptor, database));
  // Nothing of a new log has been read yet, and others are gone. A kill before this only leaves unused positions.
  const otherFiles = "DELETE FROM inbox WHERE file NOT LIKE 'postgres:%' AND file <> ?";
  runSql(database, otherFiles, name ?? '');
}

import { hash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../../errors/index.js';
import { type Connection, inWriteTransaction } from '../../sqlite/database.js';
import { queryValue, runSql } from '../../sqlite/query.js';
import { claimKeyOf } from '../claims/claim-words.js';
import { containsSecret } from '../claims/junk.js';
import type { OpenDreams } from '../store/dream-database.js';
import { parseRecallLine, type RecalledClaim } from './recall-log.js';
import type { SharedRecalls } from './shared-recalls.js';

/** How many searches were ingested. */
interface Tally {
  searches: number;
  /** Invalid lines: truncated by a crash, or edited. */
  broken: number;
}

interface Inbox extends Pick<OpenDreams, 'database' | 'entries'> {
  /** Absolute path of the log that searches append to. */
  readonly logFile: string;
  /** The logs of shared memories, with the searches of all hosts. */
  readonly logs: readonly SharedRecalls[];
  /** Absolute path of the workspace. */
  readonly dir: string;
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
 * @throws SvcError STORAGE_*
 */
export async function ingestRecalls(inbox: Inbox): Promise<Readonly<Tally>> {
  const tally = { searches: 0, broken: 0 };
  const rotated = `${inbox.logFile}.old`;
  for (const file of [rotated, inbox.logFile]) ingestFile(inbox, file, tally);
  if (inbox.rotates) rotate(inbox, rotated);
  for (const log of inbox.logs) await ingestShared(inbox, log, tally);
  return tally;
}

async function ingestShared(inbox: Inbox, log: SharedRecalls, tally: Tally): Promise<void> {
  // Of other hosts' claims, those count that are in this workspace too.
  const isHere = ({ origin, source, path }: RecalledClaim): boolean =>
    origin === log.place.origin || (source === 'memory' && existsSync(join(inbox.dir, path)));
  const name = await log.name();
  while (name !== undefined) {
    const rows = await log.after(readPosition(inbox.database, name));
    const last = rows.at(-1);
    if (last === undefined) break;
    const lines = rows.map(({ line }) => line);
    ingestLines(inbox, { name, end: last.number, lines, isHere }, tally);
  }
  if (inbox.rotates) await log.prune();
}

function ingestFile(inbox: Inbox, file: string, tally: Tally): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return;
  // Opening a named pipe would wait for a writer.
  if (!stats.isFile())
    throw new SvcError('DREAM_STORE_UNUSABLE', `${file} is not a regular file`, {
      hint: 'move it away',
    });
  const descriptor = openSync(file, 'r');
  try {
    const name = nameOf(descriptor, inbox.database);
    while (name !== undefined) {
      const start = readPosition(inbox.database, name);
      const { lines, bytes } = wholeLines(descriptor, start);
      if (bytes === 0) return;
      ingestLines(inbox, { name, end: start + bytes, lines, isHere: () => true }, tally);
    }
  } finally {
    closeSync(descriptor);
  }
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
  tally: Tally,
): void {
  inWriteTransaction(database, () => {
    for (const line of lines) {
      const recall = parseRecallLine(line);
      tally[recall === undefined ? 'broken' : 'searches'] += 1;
      if (recall === undefined) continue;
      const { atMs, queryHash } = recall;
      const day = dayOf(atMs);
      for (const { text, score, origin: _, ...place } of recall.claims.filter(isHere)) {
        // The search already skips secrets, but an older version or an edit may have added one.
        if (containsSecret(text)) continue;
        const key = claimKeyOf(text);
        entries.add({ kind: 'recall', key, text, place, score, atMs, queryHash, day });
      }
    }
    runSql(database, 'INSERT OR REPLACE INTO inbox (file, bytes) VALUES (?, ?)', name, end);
  });
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
function rotate({ database, logFile }: Inbox, rotated: string): void {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size < ROTATE_BYTES) return;
  rmSync(rotated, { force: true });
  renameSync(logFile, rotated);
  const descriptor = openSync(rotated, 'r');
  try {
    // Nothing of a new log has been read yet, and others are gone. A kill before this only leaves unused positions.
    const otherFiles = "DELETE FROM inbox WHERE file NOT LIKE 'postgres:%' AND file <> ?";
    runSql(database, otherFiles, nameOf(descriptor, database) ?? '');
  } finally {
    closeSync(descriptor);
  }
}

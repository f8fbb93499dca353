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
import { type Connection, inWriteTransaction } from '../../sqlite/database.js';
import { ifThere } from '../../support/files.js';
import { claimKeyOf } from '../claims/claim-words.js';
import { containsSecret } from '../claims/junk.js';
import type { OpenDreams } from '../store/dream-database.js';
import { parseRecallLine, type RecalledClaim } from './recall-log.js';
import type { SharedRecalls } from './shared-recalls.js';

/** What was ingested from the recall log. */
export interface IngestResult {
  readonly searches: number;
  /** Invalid lines: truncated by a crash, or edited. */
  readonly broken: number;
}

interface Ledger extends Pick<OpenDreams, 'database' | 'entries'> {
  /** The day of a moment. */
  readonly dayOf: (ms: number) => string;
  /** Whether to rotate a long log. */
  readonly rotates: boolean;
}

interface Inbox extends Ledger {
  /** Absolute path of the log that searches append to. */
  readonly logFile: string;
}

interface SharedInbox extends Ledger {
  /** The logs of shared memories. */
  readonly logs: readonly SharedRecalls[];
  /** Absolute path of the workspace. */
  readonly dir: string;
}

const PIECE_BYTES = 1024 * 1024;
const ROTATE_BYTES = 4 * 1024 * 1024;
const LINE_END = 10;

/**
 * Ingests what was logged since the last time, exactly once: claims and the log position are committed
 * together, so a killed sweep counts nothing twice. A line still being written is left for next time.
 */
export function ingestRecalls(inbox: Inbox): IngestResult {
  const aside = `${inbox.logFile}.old`;
  const ingested = sumOf([...ingestFile(inbox, aside), ...ingestFile(inbox, inbox.logFile)]);
  if (inbox.rotates) rotate(inbox, aside);
  return ingested;
}

export function sumOf(results: readonly IngestResult[]): IngestResult {
  return {
    searches: results.reduce((sum, { searches }) => sum + searches, 0),
    broken: results.reduce((sum, { broken }) => sum + broken, 0),
  };
}

/** The same for searches of all hosts of shared memories. @throws SvcError STORAGE_* */
export async function ingestShared({ logs, dir, ...ledger }: SharedInbox): Promise<IngestResult> {
  const results: IngestResult[] = [];
  for (const log of logs) {
    const name = await log.name();
    while (name !== undefined) {
      const rows = await log.after(readBytes(ledger.database, name));
      const last = rows.at(-1);
      if (last === undefined) break;
      // Of other hosts' claims, those count that are in this workspace too.
      const isHere = ({ origin, source, path }: RecalledClaim): boolean =>
        origin === log.place.origin || (source === 'memory' && existsSync(join(dir, path)));
      results.push(
        ingestLines(
          { ...ledger, isHere },
          name,
          last.number,
          rows.map(({ line }) => line),
        ),
      );
    }
    if (ledger.rotates) await log.prune();
  }
  return sumOf(results);
}

function* ingestFile(inbox: Inbox, file: string): Generator<IngestResult> {
  const descriptor = ifThere(() => openSync(file, 'r'));
  if (descriptor === undefined) return;
  try {
    const name = nameOf(descriptor, inbox.database);
    if (name === undefined) return;
    for (;;) {
      const start = readBytes(inbox.database, name);
      const { texts, bytes } = wholeLines(descriptor, start);
      if (bytes === 0) return;
      yield ingestLines(inbox, name, start + bytes, texts);
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
  const [first] = wholeLines(descriptor, 0).texts;
  if (first === undefined) return undefined;
  const name = hash('sha256', first);
  // Version 0.1 identified a log by its file.
  const { ino, birthtimeMs } = fstatSync(descriptor);
  database
    .prepare('UPDATE OR IGNORE inbox SET file = ? WHERE file = ?')
    .run(name, `${ino}:${Math.floor(birthtimeMs)}`);
  return name;
}

interface LineInbox extends Omit<Ledger, 'rotates'> {
  /** Whether a claim may be in this workspace; all are by default. */
  readonly isHere?: (claim: RecalledClaim) => boolean;
}

/** @param end the position in the log after these lines */
function ingestLines(
  { database, entries, dayOf, isHere = () => true }: LineInbox,
  name: string,
  end: number,
  lines: readonly string[],
): IngestResult {
  let searches = 0;
  let broken = 0;
  inWriteTransaction(database, () => {
    for (const text of lines) {
      const recall = parseRecallLine(text);
      if (recall === undefined) {
        broken += 1;
        continue;
      }
      searches += 1;
      const { atMs, queryHash } = recall;
      for (const { text: claim, score, origin: _, ...place } of recall.claims.filter(isHere)) {
        // The search already skips secrets, but an older version or an edit may have added one.
        if (containsSecret(claim)) continue;
        const key = claimKeyOf(claim);
        const day = dayOf(atMs);
        entries.add({ kind: 'recall', key, text: claim, place, score, atMs, queryHash, day });
      }
    }
    database.prepare('INSERT OR REPLACE INTO inbox (file, bytes) VALUES (?, ?)').run(name, end);
  });
  return { searches, broken };
}

function readBytes(database: Connection, name: string): number {
  return Number(database.prepare('SELECT bytes FROM inbox WHERE file = ?').pluck().get(name) ?? 0);
}

/** Complete lines from an offset, up to one piece; a line longer than a piece counts as broken. */
function wholeLines(descriptor: number, start: number) {
  const buffer = Buffer.allocUnsafe(PIECE_BYTES);
  const read = readSync(descriptor, buffer, 0, PIECE_BYTES, start);
  const end = buffer.subarray(0, read).lastIndexOf(LINE_END) + 1;
  const bytes = end === 0 && read === PIECE_BYTES ? read : end;
  const text = buffer.toString('utf8', 0, bytes);
  return { texts: text.split('\n').filter((line) => line !== ''), bytes };
}

/** The rotated log is read again next time: a search may still be appending to it. */
function rotate({ database, logFile }: Inbox, aside: string): void {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size < ROTATE_BYTES) return;
  rmSync(aside, { force: true });
  renameSync(logFile, aside);
  const descriptor = openSync(aside, 'r');
  try {
    // Nothing of a new log has been read yet, and others are gone. A kill before this only leaves unused positions.
    database
      .prepare("DELETE FROM inbox WHERE file NOT LIKE 'postgres:%' AND file <> ?")
      .run(nameOf(descriptor, database) ?? '');
  } finally {
    closeSync(descriptor);
  }
}
